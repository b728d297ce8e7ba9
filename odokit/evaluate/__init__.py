"""Judge an episode: do the observed writes and the database agree with the answer key?

Strict by default: method (after a `_method` override), path and query, GraphQL operation, body
subset, response, number and order of writes, and no unexpected write. `bodies` says how bodies are
compared, `requests` what makes a write meet an expectation, `pairing` which write is whose.
"""

from odokit.evaluate.bodies import body_difference
from odokit.evaluate.requests import mismatch
from odokit.evaluate.verdict import Verdict, evaluate

__all__ = ["Verdict", "body_difference", "evaluate", "mismatch"]
