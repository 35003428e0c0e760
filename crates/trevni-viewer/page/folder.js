// The files of a folder that is opened, with their paths in it.

/** Returns the files of a folder that was dropped, with their paths in it. */
export async function filesOf(folder, path = "") {
  const reader = folder.createReader();
  const files = [];
  for (;;) {
    // A reader returns some entries at a time, and none at the end.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return files;
    for (const entry of entries) {
      const at = path + entry.name;
      if (entry.isDirectory) files.push(...(await filesOf(entry, `${at}/`)));
      else files.push({ path: at, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    }
  }
}

/** Returns the folder whose files were chosen: their paths begin with its name. */
export function folderOf(files) {
  if (files.length === 0) return null;
  const [name] = files[0].webkitRelativePath.split("/");
  return { name, files: [...files].map((file) => ({ path: file.webkitRelativePath.slice(name.length + 1), file })) };
}
