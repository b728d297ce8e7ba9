"""An OpenAI-compatible endpoint on loopback that answers by a function.

    with StubLLM(lambda messages, schema: '{"number": 1}') as stub:
        client = openai.AsyncOpenAI(base_url=stub.base_url, api_key=stub.key)

The real HTTP protocol is spoken, so whatever the client does on the wire is tested too.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from odokit.llm.tokens import count_messages, count_tokens


@dataclass(frozen=True)
class StubReply:
    """An answer that is more, or less, than a text.

    Attributes:
        content: The assistant's text, or None.
        status: HTTP status; anything but 200 becomes an error object.
        code: Error code in that object.
        headers: More response headers.
        usage: Usage object to send; counted when None, left out when empty.
        finish_reason: Why the model stopped.
        refusal: The model's refusal.
        raw: Body to send in place of a chat completion.
        media_type: Content type of that body.
        is_silent: Never answer.
    """

    content: str | None = None
    status: int = 200
    code: str = "stub"
    headers: dict[str, str] = field(default_factory=dict)
    usage: dict[str, Any] | None = None
    finish_reason: str = "stop"
    refusal: str | None = None
    raw: str | None = None
    media_type: str = "text/html"
    is_silent: bool = False


Answer = Callable[[list[dict[str, Any]], dict[str, Any] | None], str | StubReply]
"""From messages and the `json_schema` object (name, strict, schema) to the assistant's text."""


def scripted(*replies: str | StubReply) -> Answer:
    """Answer with the replies in turn, and with the last one from then on."""
    left = list(replies)
    return lambda _messages, _schema: left.pop(0) if len(left) > 1 else left[0]


class StubLLM:
    """The endpoint, served from a thread while the `with` block runs.

    An error of the answering function is a 500 to the client, and is raised when the block ends.

    Attributes:
        key: The key it accepts.
        requests: JSON bodies of the chat requests received, refused ones among them.
    """

    def __init__(self, answer: Answer, key: str = "stub-key") -> None:
        self.key = key
        self.requests: list[dict[str, Any]] = []
        self._answer = answer
        self._closing = asyncio.Event()
        # Bound before the thread starts: a request may come at once and waits in the backlog.
        self._socket = socket.create_server(("127.0.0.1", 0))
        app = Starlette(routes=[Route("/v1/chat/completions", self._chat, methods=["POST"])])
        self._server = uvicorn.Server(
            uvicorn.Config(app, log_level="critical", lifespan="off", ws="none")
        )
        self._thread = threading.Thread(target=self._serve, name="llm-stub")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._faults: list[Exception] = []

    @property
    def base_url(self) -> str:
        """Where the API starts."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    @property
    def n_requests(self) -> int:
        """How many chat requests were received."""
        return len(self.requests)

    def __enter__(self) -> StubLLM:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()
        self._socket.close()
        if self._faults:
            raise self._faults[0] from error

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])

    async def _chat(self, request: Request) -> Response:
        self._loop = asyncio.get_running_loop()
        body = await request.json()
        self.requests.append(body)
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return _error(401, "invalid_api_key", f"Wrong key {request.headers['authorization']}")
        schema = body.get("response_format", {}).get("json_schema")
        try:
            reply = self._answer(body["messages"], schema)
        except Exception as error:
            self._faults.append(error)
            raise
        if isinstance(reply, str):
            reply = StubReply(reply)
        if reply.is_silent:
            await self._closing.wait()
        if reply.status != 200:
            return _error(reply.status, reply.code, "scripted failure", reply.headers)
        if reply.raw is not None:
            return Response(reply.raw, media_type=reply.media_type)
        return JSONResponse(_completion(body, reply))


def _error(
    status: int, code: str, message: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    error = {"message": message, "type": "stub", "param": None, "code": code}
    return JSONResponse({"error": error}, status_code=status, headers=headers)


def _completion(body: dict[str, Any], reply: StubReply) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
    completion = {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
    }
    usage = _counted(body["messages"], reply) if reply.usage is None else reply.usage
    return completion | ({"usage": usage} if usage else {})


def _counted(messages: Sequence[dict[str, Any]], reply: StubReply) -> dict[str, Any]:
    prompt, completion = count_messages(messages), count_tokens(reply.content or "")
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
