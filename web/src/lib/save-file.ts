/** Downloads an object URL as a file and revokes it. */
export function saveFile(name: string, objectUrl: string): void {
  const link = document.createElement("a");
  link.href = objectUrl;
  link.download = name;
  link.click();
  URL.revokeObjectURL(objectUrl);
}
