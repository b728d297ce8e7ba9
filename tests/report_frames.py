"""A small study as frames with the columns of the store's views, hostile texts among them."""

from __future__ import annotations

from typing import Any

import polars as pl

HOSTILE = '</script><script>document.title="owned"</script><img src="https://evil.example/x.png">'
TEMPLATES = ("create-class", "create-lesson", "enrol-learner", "edit-profile", "create-quiz")
POINTS = ("demonstration", "writes", "path", "value")
RUNGS = ("name+regions", "name+near", "item", "attribute", "alike name")
N_INSTANCES = 6


def outcome_of(template: int, instance: int) -> str:
    """Mostly success, and one of each other outcome."""
    odd = {(4, 0): "failure", (4, 1): "failure", (2, 3): "abstained", (3, 5): "error"}
    return odd.get((template, instance), "success")


def episodes_frame() -> pl.DataFrame:
    """Rows of `v_episode`: 30 tasks, 26 successes, 1 abstained, 2 failures, 1 error."""
    rows = [_episode(t, i) for t in range(len(TEMPLATES)) for i in range(N_INSTANCES)]
    return pl.DataFrame(rows, infer_schema_length=None)


def _episode(template: int, instance: int) -> dict[str, Any]:
    name = TEMPLATES[template]
    outcome = outcome_of(template, instance)
    prompt = 240 if (template, instance) in ((2, 1), (4, 2)) else 0
    return {
        "run_id": "run-1",
        "episode_id": f"e-{template}-{instance}",
        "template_id": name,
        "instance_id": f"{name}-{instance}",
        "role": "coach" if template % 2 else "admin",
        "agent": "odobot",
        "policy": "cascade",
        "model_id": "m1",
        "task": HOSTILE if (template, instance) == (4, 0) else f'{name} called "Unit {instance}"',
        "trajectory_id": f"{name}-demo",
        "outcome": outcome,
        "reason": "" if outcome == "success" else f"it stopped: {HOSTILE}",
        "is_success": outcome == "success",
        "network_ok": outcome == "success",
        "database_ok": None,
        "verdict": "matched: POST /api/x <- POST /api/x 201" if outcome == "success" else HOSTILE,
        "n_steps": 4,
        "n_replans": 0,
        "n_decisions": 4,
        "n_llm_calls": int(prompt > 0),
        "tokens_prompt": prompt,
        "tokens_completion": prompt // 8,
        "tokens": prompt + prompt // 8,
        "seconds": 3.0 + template + 0.4 * instance,
        "started_at": "2026-11-30T12:00:00+00:00",
    }


def steps_frame() -> pl.DataFrame:
    """Rows of `v_step`: four a task, one of them not found."""
    rows = [
        {
            "run_id": "run-1",
            "episode_id": f"e-{t}-{i}",
            "number": n,
            "label": f"click button “Step {n}”" if n else HOSTILE,
            "vertex": f"v{n}",
            "rung": "" if (t, i, n) == (4, 0, 3) else RUNGS[(t + i + n) % 7 % len(RUNGS)],
            "confidence": 0.0 if (t, i, n) == (4, 0, 3) else 1.0 - 0.05 * n,
            "value": "Unit" if n == 2 else "",
            "seconds": 0.2 + 0.1 * n,
            "result": "not recognised" if (t, i, n) == (4, 0, 3) else "done",
        }
        for t in range(len(TEMPLATES))
        for i in range(N_INSTANCES)
        for n in range(4)
    ]
    return pl.DataFrame(rows)


def decisions_frame() -> pl.DataFrame:
    """Rows of `v_decision`: four a task; the model answered for the two tasks with tokens."""
    rows = [
        {
            "run_id": "run-1",
            "episode_id": f"e-{t}-{i}",
            "decision_id": f"d-{t}-{i}-{p}",
            "point": point,
            "subject": HOSTILE,
            "answer": "Unit",
            "means": "llm" if p == 0 and (t, i) in ((2, 1), (4, 2)) else ("rule", "local")[p % 2],
            "confidence": 0.95,
            "tokens": 270 if p == 0 and (t, i) in ((2, 1), (4, 2)) else 0,
            "reason": "aligned",
        }
        for t in range(len(TEMPLATES))
        for i in range(N_INSTANCES)
        for p, point in enumerate(POINTS)
    ]
    return pl.DataFrame(rows)


def calls_frame() -> pl.DataFrame:
    """Rows of `v_llm_call`: the two requests that were made."""
    rows = [
        {
            "run_id": "run-1",
            "episode_id": episode,
            "call_id": f"c-{episode}",
            "at": "2026-11-30T12:00:01+00:00",
            "purpose": "decide_plan",
            "model": "gpt-5.4-mini",
            "prompt_hash": "00",
            "tokens_prompt": 240,
            "tokens_cached": 0,
            "tokens_completion": 30,
            "tokens_reasoning": 0,
            "is_counted": False,
            "seconds": 0.8,
            "usd": 0.0003,
            "outcome": "ok",
        }
        for episode in ("e-2-1", "e-4-2")
    ]
    return pl.DataFrame(rows)


def runs_frame() -> pl.DataFrame:
    """Rows of `v_run`: the run of the other frames, and one that broke off at once."""
    whole = {
        "run_id": "run-1",
        "notebook": "07_execute",
        "started_at": "2026-11-30T12:00:00+00:00",
        "seconds": 190.5,
        "status": "done",
        "agent": "odobot",
        "policy": "cascade",
        "model_id": "m1",
        "n_tasks": 30,
        "n_success": 26,
        "n_abstained": 1,
        "n_failure": 2,
        "n_error": 1,
        "tokens_prompt": 480,
        "tokens_completion": 60,
    }
    counts = {k: 0 for k in whole if k.startswith(("n_", "tokens_"))}
    broken = whole | counts | {"run_id": "run-2", "status": "failed", "seconds": 0.4}
    return pl.DataFrame([whole, broken])


def snapshots_frame() -> pl.DataFrame:
    """Rows of `v_snapshot`: one keyframe and nine differences of a page."""
    rows = [
        {
            "hash": f"h{i}",
            "page": "/en/<b>learn</b>",
            "bytes": 400_000 + 1000 * i,
            "stored_bytes": 40_000 if i == 0 else 300 + 40 * i,
            "is_keyframe": i == 0,
            "n_events": 1,
        }
        for i in range(10)
    ]
    return pl.DataFrame(rows)
