from __future__ import annotations

from hydra import compose, initialize_config_dir

from memorai.harness.build import SystemFactory
from memorai.harness.load import conf_dir
from memorai.write.gate import KeepAll
from memorai.write.stems import StemExtractor


def composed(*overrides: str):
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        return compose("eval", ["+experiment=locomo_write_path", "embedder=hashing", *overrides])


def test_a_part_shares_what_the_run_has_and_keeps_what_it_has_of_its_own():
    config = composed("write_path.gates.loco.text_format={_target_:memorai.index.text.TurnFormat,template:'{text}'}")
    factory = SystemFactory(config)
    gate = factory.part(config.write_path.gates.loco)
    assert gate.embedder is factory.embedder
    assert gate.text_format is not factory.text_format


def test_a_composed_system_has_the_given_parts_in_place_of_its_own():
    config = composed()
    gate, extractor = KeepAll(), StemExtractor()
    system = SystemFactory(config).compose(config.write_path.systems.memorai, gate=gate, extractor=extractor)
    assert system.gate is gate and system.extractor is extractor
    assert system.retriever.damping == 0.85
    assert system._cache is None
