import type { FieldFault } from "@sonde/kit/errors";
import { isSealed, mapSealed, type SecretBox, secretContexts } from "@sonde/kit/secrets";
import { type Check, kindOf, readCheck } from "@sonde/proto/http/kinds";
import { secretMask } from "@sonde/proto/http/secrets";
import type { StoredCheck } from "./monitor.ts";

/** A check as people see it: secrets masked. */
export function shownCheck(check: StoredCheck): Check {
  return readCheck(masked(check));
}

/** The same before its fields are looked at. */
const masked = (check: StoredCheck) => mapSealed(check, () => secretMask) as StoredCheck;

/**
 * A check as it is kept: secrets sealed. A mask stands for the secret that is stored under that name, unless the check
 * would send it to somebody else: then anybody who may edit could have it sent to a server of their own.
 * @returns the check, and a fault for each mask that stands for nothing
 */
export function storeCheck(
  box: SecretBox,
  given: Check,
  before: StoredCheck | null,
): { check: StoredCheck; faults: FieldFault[] } {
  const { secrets, audience } = kindOf(given.type);
  const check = copyOf(given);
  const faults: FieldFault[] = [];
  const former = before === null || before.type !== given.type ? null : before;
  const moved = former !== null && audience(shownCheck(former)) !== audience(given);
  const left = former === null ? [] : sealedTexts(former);
  /** The stored secret of that name; of several, each is taken once, in order. */
  const take = (name: string) => {
    const at = left.findIndex((one) => one.name === name);
    return at < 0 ? undefined : left.splice(at, 1)[0]?.sealed;
  };
  for (const { path, name } of secrets(given)) {
    const value = String(textAt(check, path));
    const stored = take(name);
    const fault = (message: FieldFault["message"]) => faults.push({ path: path.join("."), message });
    if (value !== secretMask) {
      const kept = stored !== undefined && opens(box, stored, value) ? stored : box.seal(value, secretContexts.check);
      replaceAt(check, path, { sealed: kept });
    } else if (stored === undefined) fault("This secret value is not stored yet: enter it");
    else if (moved) fault("The address changed: enter this secret value anew");
    else replaceAt(check, path, { sealed: stored });
  }
  return { check, faults };
}

/** Seals texts that were kept in the clear before they counted as secret; null where there are none. */
export function sealOpenTexts(box: SecretBox, kept: StoredCheck): StoredCheck | null {
  const open = kindOf(kept.type)
    .secrets(shownCheck(kept))
    .filter(({ path }) => !isSealed(textAt(kept, path)));
  if (open.length === 0) return null;
  const check = copyOf(kept);
  for (const { path } of open) {
    replaceAt(check, path, { sealed: box.seal(String(textAt(check, path)), secretContexts.check) });
  }
  return check;
}

function sealedTexts(check: StoredCheck): { name: string; sealed: string }[] {
  return kindOf(check.type)
    .secrets(shownCheck(check))
    .flatMap(({ path, name }) => {
      const text = textAt(check, path);
      return isSealed(text) ? [{ name, sealed: text.sealed }] : [];
    });
}

/** Whether a sealed text is this one; what another key sealed is not. */
function opens(box: SecretBox, sealed: string, text: string): boolean {
  try {
    return box.open(sealed, secretContexts.check) === text;
  } catch {
    return false;
  }
}

/** A copy that shares nothing with it, not even what it holds twice. */
const copyOf = (check: object) => JSON.parse(JSON.stringify(check)) as StoredCheck;

type Node = Record<string | number, unknown>;

function textAt(check: StoredCheck, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((node, step) => (node as Node)[step], check);
}

function replaceAt(check: StoredCheck, path: readonly (string | number)[], value: unknown): void {
  const last = path.at(-1);
  if (last !== undefined) (textAt(check, path.slice(0, -1)) as Node)[last] = value;
}
