const rowSelector = "main :is(tbody tr, [data-row])";

/**
 * Moves the focus to the next or the previous row of the page's list, to the link that opens it; from outside of the list
 * the way down leads to its first row. Answers whether the key was used.
 */
export function moveToRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll(rowSelector)];
  const links = rows.map((row) => row.querySelector<HTMLElement>("a[href]")).filter((link) => link !== null);
  const from = document.activeElement?.closest(rowSelector);
  const at = links.findIndex((link) => link.closest(rowSelector) === from);
  const next = at === -1 && step === -1 ? undefined : links[at + step];
  next?.focus();
  return next !== undefined;
}

/** Puts the cursor into the page's search field. Answers whether there is one. */
export function goToSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main [role=search] input");
  field?.focus();
  field?.select();
  return field !== null;
}
