/** Every kind of field that a struct can have. */
namespace * every
include "shared.thrift"

# Constants, some of others.
const i32 ANSWER = 0x2A
const list<string> WORDS = ["one", 'two',]
const map<string, i32> NUMBERS = {"a": 1; "b": ANSWER}

typedef i64 Id
typedef Id RowId (note = "through two names")

exception Trouble { 1: string what, 2: optional i32 code }

struct Empty {}

union Shape {
  1: double circle
  2: shared.Point point,
  3: list<i32> numbers;
  4: string name
  5: bool flag
  6: Empty nothing
  7: shared.Color color
}

struct Every {
  1: required RowId id,
  2: optional bool truth;
  3: optional byte tiny
  4: optional i16 small
  5: optional i32 number
  6: optional i64 large
  7: optional double real
  8: optional string text
  9: optional binary bytes
  10: optional uuid key
  11: optional shared.Color color
  12: optional list<i32> list_of_ints
  13: optional set<string> set_of_texts
  14: optional map<string, shared.Point> points
  15: optional list<list<bool>> bools
  16: optional shared.Way way
  17: optional Shape shape
  18: optional list<Shape> shapes
  19: optional map<i32, list<string>> lists
  20: optional map<shared.Point, shared.Color> keyed
  21: optional Trouble trouble
  22: optional Empty empty
  30: bool plain_truth = 1
  31: i32 plain_number = ANSWER
  32: string plain_text = "as \"said\""
  33: shared.Color plain_color = shared.Color.GREEN
  34: list<string> plain_words = WORDS
  35: map<string, i32> plain_numbers = NUMBERS
  36: shared.Point plain_point = shared.ORIGIN
  37: Shape plain_shape = {"numbers": [1, 2]}
  38: double plain_real = 2
  39: set<i16> plain_set = [3, -3]
  40: string plain
  41: optional i32 with_default = 7
  42: uuid plain_key = "00112233-4455-6677-8899-aabbccddeeff"
  43: binary plain_bytes = "\t"
  100: optional bool far
  -5: optional i8 below
  32767: optional map<binary, set<double>> last
} (of = "the goldens")

service Nothing extends shared.Base {
  oneway void ask(1: Every what = {"id": 1}) throws (1: Trouble t), /* } */ // }
}
