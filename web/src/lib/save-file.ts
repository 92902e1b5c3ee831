/** Gives a file to the browser's downloads. Its object URL is of no use afterwards. */
export function saveFile(name: string, objectUrl: string): void {
  const link = document.createElement("a");
  link.href = objectUrl;
  link.download = name;
  link.click();
  URL.revokeObjectURL(objectUrl);
}
