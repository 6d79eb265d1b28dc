"""Where each row of variable height begins: prefix sums with cheap changes anywhere.

A plain running sum would have to be rebuilt from the first changed row on; a
chat whose old card changes while the last answer streams would then cost one
step per row, thirty times a second. A Fenwick tree answers and changes in
log(n).
"""


class Heights:
    """Heights of rows, in lines, and their running sums."""

    def __init__(self) -> None:
        self._height: list[int] = []
        self._tree: list[int] = [0]

    def __len__(self) -> int:
        return len(self._height)

    def __getitem__(self, row: int) -> int:
        return self._height[row]

    @property
    def total(self) -> int:
        """The height of all rows together."""
        return self.top(len(self._height))

    def append(self, height: int) -> None:
        """Add a row at the end."""
        self._height.append(height)
        node = len(self._height)
        total = height
        step = 1
        while step < (node & -node):
            total += self._tree[node - step]
            step <<= 1
        self._tree.append(total)

    def set(self, row: int, height: int) -> None:
        """Give one row another height."""
        change = height - self._height[row]
        if not change:
            return
        self._height[row] = height
        node = row + 1
        while node < len(self._tree):
            self._tree[node] += change
            node += node & -node

    def truncate(self, rows: int) -> None:
        """Keep the first ``rows`` rows."""
        del self._height[rows:]
        del self._tree[rows + 1 :]

    def top(self, row: int) -> int:
        """The line at which a row begins."""
        total = 0
        while row > 0:
            total += self._tree[row]
            row -= row & -row
        return total

    def locate(self, line: int) -> tuple[int, int]:
        """The row that holds a line, and the line's offset in it; past the end: (count, rest)."""
        row = 0
        rest = max(line, 0)
        step = 1 << len(self._height).bit_length()
        while step:
            node = row + step
            if node < len(self._tree) and self._tree[node] <= rest:
                row = node
                rest -= self._tree[node]
            step >>= 1
        return row, rest
