import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import org.apache.trevni.ColumnFileMetaData;
import org.apache.trevni.ColumnFileReader;
import org.apache.trevni.ColumnFileWriter;
import org.apache.trevni.ColumnMetaData;
import org.apache.trevni.ColumnValues;
import org.apache.trevni.ValueType;

/** Writes and reads a million rows with the reference: those of the bench "columns". Rows are boxed before the clock starts. */
public class Timing {
  private static final int ROWS = 1_000_000;
  private static long state = 42;

  private static long next31() {
    state = state * 6364136223846793005L + 1442695040888963407L;
    return state >>> 33;
  }

  private static Object[] row(int id) {
    Object[] row = {(long) id, (int) (next31() - (1L << 30)), next31() / 1000.0, null, null};
    char[] letters = new char[12];
    for (int i = 0; i < letters.length; i++) letters[i] = (char) ('a' + next31() % 26);
    row[3] = new String(letters);
    if (next31() % 3 != 0) row[4] = "v" + next31() % 1000;
    return row;
  }

  private static void write(Object[][] rows, String codec, File file) throws IOException {
    ColumnFileWriter writer = new ColumnFileWriter(new ColumnFileMetaData().setCodec(codec),
        new ColumnMetaData("id", ValueType.LONG), new ColumnMetaData("n", ValueType.INT),
        new ColumnMetaData("x", ValueType.DOUBLE), new ColumnMetaData("s", ValueType.STRING),
        new ColumnMetaData("opt", ValueType.STRING).isArray(true));
    for (Object[] row : rows) {
      writer.startRow();
      for (int column = 0; column < 4; column++) writer.writeValue(row[column], column);
      writer.writeLength(row[4] == null ? 0 : 1, 4);
      if (row[4] != null) writer.writeValue(row[4], 4);
      writer.endRow();
    }
    writer.writeTo(file);
  }

  /** Gives how many values there are. */
  private static long read(File file) throws IOException {
    long values = 0;
    try (ColumnFileReader reader = new ColumnFileReader(file)) {
      for (int column = 0; column < reader.getColumnCount(); column++) {
        ColumnValues<?> some = reader.getValues(column);
        while (some.hasNext()) {
          some.startRow();
          int length = column == 4 ? some.nextLength() : 1;
          for (int i = 0; i < length; i++) if (some.nextValue() != null) values++;
        }
      }
    }
    return values;
  }

  public static void main(String[] arguments) throws Exception {
    int repetitions = Integer.parseInt(arguments[0]);
    Object[][] rows = new Object[ROWS][];
    for (int id = 0; id < ROWS; id++) rows[id] = row(id);
    for (String codec : new String[] {"null", "snappy", "deflate"}) {
      File file = new File(arguments[1], codec + ".trv");
      double[] write = new double[repetitions];
      double[] read = new double[repetitions];
      for (int i = 0; i < repetitions; i++) {
        long start = System.nanoTime();
        write(rows, codec, file);
        long written = System.nanoTime();
        long values = read(file);
        read[i] = (System.nanoTime() - written) / 1e6;
        write[i] = (written - start) / 1e6;
        if (values < 4 * ROWS) throw new IllegalStateException(values + " values");
      }
      System.out.printf("%-8s write %s   read %s   %d bytes%n", codec, of(write), of(read), file.length());
    }
  }

  /** Median and least of the later half: before, the machine code is still being made. */
  private static String of(double[] ms) {
    double[] later = Arrays.copyOfRange(ms, ms.length / 2, ms.length);
    Arrays.sort(later);
    return String.format("%.1f ms (least %.1f)", later[later.length / 2], later[0]);
  }
}
