"""What docs/canvas.md shows can be run, as far as there is no Canvas here."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from cascon_samples import BASE, write_dataset

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "canvas.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_the_code_is_valid_and_its_imports_exist(block: str) -> None:
    code = compile(block, "canvas.md", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    imports = [n for n in code.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    assert imports
    exec(compile(ast.Module(imports, []), "canvas.md", "exec"), {})


def test_the_logs_of_another_agent_are_judged_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("cascon-2026", "logs"):
        (tmp_path / "data" / "external" / name).mkdir(parents=True)
    write_dataset(tmp_path / "data" / "external" / "cascon-2026")
    requests = [
        {"method": "POST", "url": f"{BASE}/api/v1/groups/3/memberships/self", "body": leave}
        for leave in ({"_method": "DELETE"}, {"_method": "POST"})
    ]
    requests[1]["url"] = f"{BASE}/api/v1/groups/4/memberships"
    log = tmp_path / "data" / "external" / "logs" / "swap-1_network_logs.json"
    log.write_text(json.dumps(requests))
    (block,) = [b for b in BLOCKS if "judge_logs" in b]
    exec(compile(block, "canvas.md", "exec"), {})
    shown = capsys.readouterr().out
    assert shown.startswith("Counter({True: 1})\nswap-1\nsuccess: 2 of 2 expected writes seen")


def test_names_and_paths_it_gives_exist() -> None:
    for path in re.findall(r"`((?:odokit|tests)/[\w./]+)`", TEXT):
        assert (ROOT / path).exists()
    import odokit.cascon

    for name in re.findall(r"`odokit\.cascon\.(\w+)", TEXT):
        assert hasattr(odokit.cascon, name)
