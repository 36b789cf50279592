"""One module a wire API, all producing one event type.

`messages` holds the conversation, `request` what is sent, `events` what comes back, `errors` what goes wrong. Each
wire API has one module with `stream(request, client=None)`; `openai_completions` is one.
"""
