# Functions of `heapq`. A list in order is a heap, so the first element is the right one; the others may be elsewhere.


def heapify(heap):
    heap.sort()


def heappush(heap, item):
    heap.append(item)
    heap.sort()


def heappop(heap):
    if not heap:
        raise IndexError("index out of range")
    return heap.pop(0)


def heappushpop(heap, item):
    heappush(heap, item)
    return heappop(heap)


def heapreplace(heap, item):
    first = heappop(heap)
    heappush(heap, item)
    return first


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]
