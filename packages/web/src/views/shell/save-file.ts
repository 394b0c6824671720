/** Hands a file to the browser, which saves it where the user saves files. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\p{L}\p{N}._ -]+/gu, '-').slice(0, 80);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
