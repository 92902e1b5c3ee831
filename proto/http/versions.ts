const form = /^v?(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?(?:\+[\w.-]+)?$/;

/**
 * Returns true if a version of Sonde is older than another: `1.9.0` than `1.10.0`, `1.0.0-rc.1` than `1.0.0`. False if
 * either has another format, such as that of a custom agent script.
 */
export function isOlderVersion(one: string, other: string): boolean {
  const [first, second] = [form.exec(one), form.exec(other)];
  if (first === null || second === null) return false;
  for (const at of [1, 2, 3]) {
    const difference = Number(first[at]) - Number(second[at]);
    if (difference !== 0) return difference < 0;
  }
  return first[4] !== undefined && second[4] === undefined;
}
