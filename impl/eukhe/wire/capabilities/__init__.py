"""The operations that a provider can have beside the chat stream (S6.7), one module an operation.

Each module has the values of its request and its result, and one function that takes the dialect of the endpoint,
the site, what is asked, and a client. Whatever fails is a `WireError` without secrets. `dialects` says which
dialects there are; the rulebook may name no other.
"""
