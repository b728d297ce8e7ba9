"""Language-model access: client, prompts, token counts, ledger and budgets.

Import from the modules: `tokens`, `ledger`, `prompt` and `replies` load in milliseconds, `client`
brings the `openai` package with it.
"""
