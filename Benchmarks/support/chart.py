"""A chart with two logarithmic axes, as SVG."""

import math

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 20, 50
COLOURS = ["#1f6feb", "#8c8c8c", "#d1242f", "#1a7f37"]
POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def logarithmic(lines, across, upward):
    """`lines`: name → points, all of them above 0."""
    points = [point for line in lines.values() for point in line]
    axes = []
    for place in (0, 1):
        values = [math.log10(point[place]) for point in points]
        axes.append((math.floor(min(values)), max(math.ceil(max(values)), math.floor(min(values)) + 1)))

    def at(point):
        shares = [(math.log10(value) - low) / (high - low) for value, (low, high) in zip(point, axes)]
        return (LEFT + shares[0] * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - shares[1] * (HEIGHT - TOP - BOTTOM))

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    (left, right), (low, high) = axes
    for power in range(left, right + 1):
        x = at((10.0**power, 10.0**low))[0]
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#dddddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">10{str(power).translate(POWERS)}</text>')
    for power in range(low, high + 1):
        y = at((10.0**left, 10.0**power))[1]
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">10{str(power).translate(POWERS)}</text>')
    middle = (HEIGHT - BOTTOM + TOP) / 2
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{across}</text>')
    parts.append(f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">{upward}</text>')
    for place, (name, line) in enumerate(lines.items()):
        colour = COLOURS[place % len(COLOURS)]
        places = [at(point) for point in line]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        parts.append(f'<text x="{LEFT + 10}" y="{TOP + 16 + 16 * place}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
