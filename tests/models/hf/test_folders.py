"""Where models come from, what is refused, and that nothing is fetched unasked."""

import json
import socket
import sys

import pytest

import tiny_models as tiny
from longleaf.errors import MissingExtra, ModelError
from longleaf.models.hf import loading
from longleaf.models.hf.cross_encoder import CrossEncoder
from longleaf.models.hf.encoder import HfEncoder
from longleaf.models.hf.folders import model_folder
from longleaf.models.hf.labeller import TokenLabeller

ALL = [CrossEncoder, TokenLabeller, HfEncoder]


def loaded(kind, name, **options):
    model = kind(str(name), **options)
    if kind is HfEncoder:
        model.encode(["lamp"])
    return model


@pytest.fixture
def no_network(monkeypatch):
    asked = []

    def refuse(*args, **_):
        asked.append(args)
        raise OSError("a test reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return asked


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "name", ["./nowhere", "/nowhere/at/all", "~/nowhere-at-all", "some/where/else", "a:b"]
)
def test_a_path_that_is_not_there_is_never_looked_up(kind, name, no_network):
    with pytest.raises(ModelError, match="no model folder"):
        kind(name)
    assert not no_network


@pytest.mark.parametrize("kind", ALL)
def test_offline_a_hub_name_is_only_looked_up_on_this_machine(kind, no_network, monkeypatch):
    with pytest.raises(ModelError, match="the network is off") as caught:
        kind("nobody/no-such-model", offline=True)
    assert "nobody/no-such-model" in caught.value.message and caught.value.hint
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match="the network is off"):
        kind("nobody/no-such-model")
    assert not no_network


def test_a_hub_name_that_cannot_be_fetched_says_so(no_network, monkeypatch):
    for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with pytest.raises(ModelError, match="from the model hub"):
        model_folder("nobody/no-such-model")


def test_a_model_in_the_hub_cache_needs_no_network(tmp_path, monkeypatch, no_network):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    tiny.cache_on_hub(tmp_path, "nobody/e5-small", lambda folder: tiny.save_encoder(folder, pooling=None))
    encoder = HfEncoder("nobody/e5-small", offline=True)
    assert encoder.recipe.query == "query: "
    assert encoder.encode(["lamp"]).shape == (1, tiny.HIDDEN)
    assert not no_network


def test_a_folder_needs_no_network(tmp_path, no_network):
    tiny.save_encoder(tmp_path)
    assert HfEncoder(str(tmp_path)).encode(["lamp"]).shape == (1, tiny.HIDDEN)
    assert not no_network


@pytest.mark.parametrize("kind", ALL)
def test_without_the_extra_the_error_names_it(kind, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra) as caught:
        kind(str(tmp_path))
    assert "pip install 'longleaf[lm]'" in caught.value.hint


def causal(folder):
    config = tiny.transformers.LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2
    )
    tiny.save_model(folder, "LlamaForCausalLM", config)


@pytest.mark.parametrize(
    ("kind", "build", "says"),
    [
        (CrossEncoder, causal, "LlamaForCausalLM.*score.weight"),
        (TokenLabeller, causal, "LlamaForCausalLM"),
        (CrossEncoder, lambda f: tiny.save_model(f, "BertModel"), "BertModel.*classifier"),
        (
            CrossEncoder,
            lambda f: tiny.save_model(f, "BertForSequenceClassification", num_labels=3),
            "a single label",
        ),
        (
            TokenLabeller,
            lambda f: tiny.save_model(f, "BertForTokenClassification", num_labels=3),
            "drop and keep",
        ),
    ],
)
def test_a_model_for_another_task_is_refused(tmp_path, kind, build, says):
    build(tmp_path)
    with pytest.raises(ModelError, match=says) as caught:
        kind(str(tmp_path))
    assert caught.value.exit_code == 4 and "trained for this task" in caught.value.hint


def no_config(folder):
    (folder / "config.json").unlink()


def own_code(folder):
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "homemade", "auto_map": {"AutoModel": "code.Model", "AutoConfig": "code.Config"}}
    tiny.write(folder, "config.json", config)
    (folder / "code.py").write_text("raise SystemExit('code of the model was run')")


def broken_config(folder):
    (folder / "config.json").write_text("{")


def broken_weights(folder):
    (folder / "model.safetensors").write_bytes(b"not tensors")


def pickled(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def no_tokenizer(folder):
    (folder / "tokenizer.json").unlink()


@pytest.mark.parametrize(
    "damage", [no_config, own_code, broken_config, broken_weights, pickled, no_tokenizer]
)
@pytest.mark.parametrize("kind", ALL)
def test_files_that_cannot_be_used_are_a_model_error(tmp_path, kind, damage):
    folder = tmp_path / "model"
    name = {CrossEncoder: "Sequence", TokenLabeller: "Token", HfEncoder: "Sequence"}[kind]
    tiny.save_model(folder, f"BertFor{name}Classification")
    damage(folder)
    with pytest.raises(ModelError) as caught:
        loaded(kind, folder)
    assert str(folder) in caught.value.message and caught.value.hint
    assert "\n" not in caught.value.message


@pytest.mark.skipif(tiny.torch.cuda.is_available(), reason="there is a CUDA device")
@pytest.mark.parametrize("kind", ALL)
def test_a_device_that_is_not_there(tmp_path, kind):
    name = {CrossEncoder: "Sequence", TokenLabeller: "Token", HfEncoder: "Sequence"}[kind]
    tiny.save_model(tmp_path, f"BertFor{name}Classification")
    with pytest.raises(ModelError, match="no CUDA device"):
        loaded(kind, tmp_path, device="cuda")
    assert loading.find_device(None).type == "cpu"


def test_memory_that_runs_out_is_one_line():
    for error in (tiny.torch.OutOfMemoryError("CUDA out of memory.\nMore"), MemoryError()):
        with (
            pytest.raises(ModelError, match="out of memory while running tiny"),
            loading.memory_errors("running tiny", "hint"),
        ):
            raise error


def test_loading_says_nothing(tmp_path, capfd):
    tiny.save_encoder(tmp_path)
    capfd.readouterr()
    HfEncoder(str(tmp_path)).encode(["lamp"])
    assert capfd.readouterr() == ("", "")
