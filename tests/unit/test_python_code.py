import ast
import gc
import time
from concurrent.futures import ThreadPoolExecutor

from pagehand.python_code import parse_python


def test_several_threads_may_parse_at_once() -> None:
    code = "\n".join(f"value_{number} = [[{number}, (1 + 2) * 3], {{'a': [4]}}]" for number in range(100))
    thresholds = gc.get_threshold()
    # collecting garbage in the middle of it is when another thread gets its turn
    gc.callbacks.append(_let_others_go_on)
    gc.set_threshold(20)
    try:
        with ThreadPoolExecutor(4) as threads:
            trees = list(threads.map(parse_python, [code] * 200))
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(_let_others_go_on)
    assert {ast.dump(tree) for tree in trees} == {ast.dump(ast.parse(code))}


def _let_others_go_on(_phase: str, _info: dict[str, int]) -> None:
    time.sleep(0)
