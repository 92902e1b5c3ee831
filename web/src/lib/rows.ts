/** Takes a row off a page of a list. Nothing changes where the page does not hold it. */
export function removeRow(page: { total: number }, rows: { id: number }[], id: number): void {
  const index = rows.findIndex((row) => row.id === id);
  if (index === -1) return;
  rows.splice(index, 1);
  page.total -= 1;
}
