"""The toy's core: the same purse over plain ints."""

CAP = 3


def pay(coins: int, locked: bool, price: int) -> int:
    enough = price <= coins
    return coins - price if enough and not locked else coins


def fill(coins: int, gifts: tuple[int, ...]) -> int:
    return min(sum(gifts, coins), CAP)


def greet(name: int) -> int:
    return name + name + name
