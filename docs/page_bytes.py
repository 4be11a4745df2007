"""The bytes of a case beside those of its control, as HTML."""

WIDTH = 16
ROWS = 8


def compared(control, file, edits):
    """The changed bytes in lines of 16, with a line of context: the control's, then the case's."""
    out = []
    for regions in neighbors(changes(control, edits)):
        (left, _, right, _), (_, left_end, _, right_end) = regions[0], regions[-1]
        begin = max(right // WIDTH - 1, 0) * WIDTH
        end = (right_end // WIDTH + 2) * WIDTH
        starts = (max(left - (right - begin), 0), begin)
        ends = (min(left_end + end - right_end, len(control)), min(end, len(file)))
        count = max(-(-(end - start) // WIDTH) for start, end in zip(starts, ends))
        rows = []
        for at in range(0, count * WIDTH, WIDTH):
            rows.append(
                line(control, starts[0] + at, ends[0], [region[:2] for region in regions], "del")
                + line(file, starts[1] + at, ends[1], [region[2:] for region in regions], "ins")
            )
        out.append(lines(rows[:ROWS]))
        if rows[ROWS:]:
            out.append(f"<details><summary>{len(rows) - ROWS} more lines</summary>\n{lines(rows[ROWS:])}</details>\n")
    return "".join(out)


def changes(control, edits):
    """The regions that the edits changed: begin and end in the control, and in the file."""
    origin = list(range(len(control)))
    for edit in edits:
        origin[edit["at"] : edit["at"] + len(edit["was"]) // 2] = [None] * (len(edit["now"]) // 2)
    regions, source, begin = [], 0, 0
    for at, byte in enumerate([*origin, len(control)]):
        if byte is not None:
            if begin < at or source < byte:
                regions.append((source, byte, begin, at))
            source, begin = byte + 1, at + 1
    return regions


def neighbors(regions):
    """Joins the regions whose lines would overlap."""
    groups = []
    for region in regions:
        if groups and region[2] - groups[-1][-1][3] < 3 * WIDTH:
            groups[-1].append(region)
        else:
            groups.append([region])
    return groups


def lines(rows):
    return '<div class="bytes">\n' + "\n".join(rows) + "\n</div>\n"


def line(data, begin, end, changed, tag):
    """A line has no blanks, because the search of mdBook leaves out words of more than 80 letters."""
    if begin >= end:
        return "<p></p>"
    out = f"<i>{begin:#x}</i>"
    for at in range(begin, min(begin + WIDTH, end)):
        name = tag if any(first <= at < last for first, last in changed) else "b"
        out += f"<{name}>{data[at]:02x}</{name}>"
    return f"<p>{out}</p>"
