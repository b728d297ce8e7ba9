"""The whole road on a real application: model, plan, browser, verdict, store."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from llm_stub import StubLLM

from odokit.config import Settings
from odokit.study.runs import execute_tasks
from odokit.study.workspace import build_model, read_episodes
from odokit.testbeds import get_testbed

pytestmark = pytest.mark.testbed


@pytest.fixture
def workspace(tmp_path: Path) -> Settings:
    """The project's own test bed and recordings, with a store and reports of the test's own."""
    settings = replace(Settings.load(), store=tmp_path / "ws.duckdb", reports=tmp_path / "reports")
    build_model(settings)
    return settings


async def test_new_instances_succeed_offline_without_a_token(workspace: Settings) -> None:
    chosen = ["create_class_2", "show_lesson_2", "change_sign_in_2", "edit_profile_2"]
    run_id = await execute_tasks(workspace, instances=chosen)
    episodes = read_episodes(workspace, run_id)
    assert episodes["instance_id"].to_list() == chosen
    assert episodes["outcome"].to_list() == ["success"] * 4, episodes["reason"].to_list()
    assert episodes["database_ok"].to_list() == [True] * 4
    assert episodes["tokens"].sum() == 0


async def test_the_published_policy_pays_for_each_decision(
    workspace: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = _class_name(workspace)
    with StubLLM(_as_a_model_would({"Class name": name})) as stub:
        monkeypatch.setenv("OPENAI_API_KEY", stub.key)
        with_model = replace(workspace, llm_base_url=stub.base_url)
        run_id = await execute_tasks(with_model, policy="paper", instances=["create_class_2"])
    episode = read_episodes(workspace, run_id).row(0, named=True)
    assert episode["outcome"] == "success", episode["reason"]
    assert episode["n_llm_calls"] == stub.n_requests >= 4
    assert episode["tokens_prompt"] > 0


async def test_a_cascade_asks_once_for_a_task_worded_anew(
    workspace: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    folder = data / "testbeds" / "kolibri"
    shutil.copytree(workspace.data / "testbeds" / "kolibri", folder)
    file = folder / "tasks.yaml"
    text = file.read_text(encoding="utf-8")
    wording = 'text: Create a class called "{class_name}".'
    assert wording in text
    anew = "text: We teach {class_name} from Monday on. Please set up a class of that name for us"
    file.write_text(text.replace(wording, anew), encoding="utf-8")
    name = _class_name(workspace)
    with StubLLM(_as_a_model_would({"class_name": name})) as stub:
        monkeypatch.setenv("OPENAI_API_KEY", stub.key)
        with_model = replace(workspace, data=data, llm_base_url=stub.base_url)
        run_id = await execute_tasks(with_model, policy="cascade", instances=["create_class_2"])
    episode = read_episodes(workspace, run_id).row(0, named=True)
    assert episode["outcome"] == "success", episode["reason"]
    assert stub.n_requests == episode["n_llm_calls"] == 1


def _class_name(workspace: Settings) -> str:
    tasks = get_testbed("kolibri", workspace).tasks()
    return tasks.find("create_class_2")[1].values["class_name"]


def _as_a_model_would(values: Mapping[str, str]) -> Any:
    """Answer like a model that read the prompt: pick the line that mentions a class."""

    def answer(messages: list[dict[str, Any]], schema: dict[str, Any] | None) -> str:
        prompt = messages[-1]["content"]
        kind = schema["name"] if schema else ""
        lines = re.findall(r"^(\d+)\. (.*)$", prompt, re.MULTILINE)
        wanted = [int(n) for n, line in lines if re.search("create a class", line, re.I)] or [1]
        slots = [{"name": n, "value": v} for n, v in values.items()]
        replies: dict[str, Any] = {
            "Text": {"text": "Create a class"},
            "ChooseOne": {"number": wanted[0]},
            "ChooseMany": {"numbers": [1]},
            "Values": {"values": slots},
            "PlanReply": {"demonstration": wanted[0], "writes": [], "values": slots},
        }
        return json.dumps(replies[kind])

    return answer
