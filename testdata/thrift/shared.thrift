// What other files use.
namespace py shared

enum Color { RED = 0, GREEN = 5, BLUE }

struct Point {
  1: required double x
  2: required double y
  3: optional string label
}

typedef list<Point> Way

const Point ORIGIN = {"x": 0, "y": 0.0}
