"""The fields of both kinds."""

from bayplan.routing.config.document import PICKER_KIND, PROFILE_RULES, native_config, picker_config


def keys(record):
    return {field.key for field in record.fields}


def test_our_own_kind_has_every_field_of_llm_d_s_and_a_few_more():
    own = {"scheduler", "profileHandler", "onPluginError", "ownPolicy", "warnings"}

    assert keys(native_config()) == keys(picker_config()) | own


def test_candidates_and_levels_are_our_own():
    native, picker = PROFILE_RULES["SchedulerConfig"], PROFILE_RULES[PICKER_KIND]

    assert keys(native.profile) - keys(picker.profile) == {"candidates"}
    assert keys(native.reference) - keys(picker.reference) == {"level"}


def test_times_as_numbers_are_our_own():
    (native,) = [field.shape for field in native_config().fields if field.key == "flowControl"]
    (picker,) = [field.shape for field in picker_config().fields if field.key == "flowControl"]

    assert keys(native) - keys(picker) == {"defaultRequestTTLSeconds", "noEndpointRequestTTLSeconds"}


def test_no_key_stands_for_two_fields():
    for record in (native_config(), picker_config()):
        assert len(keys(record)) == len(record.fields) == len({field.name for field in record.fields})
