import pytest

from bayplan.sim.engine.openai.refusals import RefusalError


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "BadRequestError"), (404, "NotFoundError"), (413, "BadRequestError"), (503, "ServiceUnavailableError")],
)
def test_a_refusal_has_the_form_of_openai(status, kind):
    assert RefusalError(status, "no", "model").document() == {
        "error": {"message": "no", "type": kind, "param": "model", "code": status}
    }
