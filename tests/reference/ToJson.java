package org.apache.avro.tool;

import java.io.File;
import java.io.IOException;
import java.util.Collections;
import org.apache.trevni.Input;
import org.apache.trevni.InputFile;

/** The reference's tool, without the other tools that its own launcher asks for. */
public class ToJson {
  public static void main(String[] files) throws Exception {
    for (String file : files) {
      int code = new TrevniToJsonTool().run(System.in, System.out, System.err, Collections.singletonList(file));
      if (code != 0) System.exit(code);
    }
  }
}

/** Stands for the class of this name, which reads from Hadoop, too. */
class TrevniUtil {
  static Input input(String name) throws IOException {
    return new InputFile(new File(name));
  }
}
