import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.weight_files import WeightFiles, split_parts, weight_files

FOLDERS = {
    "nothing":              (["config.json", "README.md"], None),
    "one file":             (["config.json", "model.safetensors"], ("safetensors", "model.safetensors")),
    "two formats":          (["model.safetensors", "pytorch_model.bin"], ("safetensors", "model.safetensors")),
    "joined and in shards": (["consolidated.safetensors", "a.safetensors", "b.safetensors"],
                             ("safetensors", "a.safetensors", "b.safetensors")),
    "joined alone":         (["consolidated.safetensors"], ("safetensors", "consolidated.safetensors")),
    "an adapter alone":     (["adapter_model.safetensors", "adapter_config.json"],
                             ("safetensors", "adapter_model.safetensors")),
    "an adapter beside":    (["adapter_model.safetensors", "model.safetensors"], ("safetensors", "model.safetensors")),
    "pickles":              (["pytorch_model-2.bin", "pytorch_model-1.bin", "training_args.bin"],
                             ("pickled", "pytorch_model-1.bin", "pytorch_model-2.bin")),
    "two kinds of pickle":  (["model.pth", "model.bin", "model.pt"], ("pickled", "model.bin")),
    "traces of training":   (["optimizer.pt", "scheduler.pt", "rng_state_0.pth"], None),
    "GGUF":                 (["model.gguf"], ("gguf", "model.gguf")),
    "GGUF in parts":        (["m-00002-of-00002.gguf", "m-00001-of-00002.gguf"],
                             ("gguf", "m-00001-of-00002.gguf", "m-00002-of-00002.gguf")),
    "GGUF that sees":       (["model.gguf", "mmproj-F16.gguf", "mmproj-F32.gguf"],
                             ("gguf", "model.gguf", "mmproj-F16.gguf")),
}  # fmt: skip


@pytest.mark.parametrize(("names", "expected"), FOLDERS.values(), ids=FOLDERS)
def test_which_files_count(names, expected):
    found = weight_files(names)

    assert found == (None if expected is None else WeightFiles(expected[0], expected[1:]))


def test_several_models_in_one_folder_are_not_guessed_at():
    with pytest.raises(InputError, match=r"2 GGUF models are here, m-Q4.gguf and m-Q8.gguf among them; name one file"):
        weight_files(["m-Q8.gguf", "m-Q4.gguf"])


def test_the_parts_of_a_split_model():
    assert split_parts("m-00002-of-00003.gguf") == (
        "m-00001-of-00003.gguf",
        "m-00002-of-00003.gguf",
        "m-00003-of-00003.gguf",
    )
    assert split_parts("model.gguf") == ("model.gguf",)


def test_endless_parts_are_refused():
    with pytest.raises(InputError, match="is one of 99,999 parts; at most 1,000 are read"):
        split_parts("m-00001-of-99999.gguf")
