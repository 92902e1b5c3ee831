import { type KeyName, type ServiceKeys, variableOfKey } from "@sonde/kit/secret-keys";
import { keyNames } from "@sonde/proto/services";
import { randomBytes, randomInt } from "node:crypto";

const derived = "derived:";

/**
 * What a key of a Secret holds: `base64-32`, `code`, `password`, `word:` and the text itself, or `derived:` and the name
 * of a key that services are given.
 */
export const isKind = (text: string): boolean =>
  text.startsWith("word:") || isDerived(text) || Object.hasOwn(makers, text);
/** Whether it follows from the master key, and changes with it. */
export const isDerived = (kind: string): boolean =>
  kind.startsWith(derived) && keyNames.some((name) => kind === `${derived}${name}`);

// Without those that look like others: a person may have to type a code.
const codeLetters = "abcdefghjkmnpqrstuvwxyz23456789";
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const pick = (from: string) => from[randomInt(from.length)] ?? "";
const word = (length: number) => Array.from({ length }, () => pick(codeLetters)).join("");

const makers: Readonly<Record<string, () => string>> = {
  "base64-32": () => randomBytes(32).toString("base64"),
  // 99 bits, in groups that can be read aloud.
  code: () => Array.from({ length: 5 }, () => word(4)).join("-"),
  // It is used in URLs and in configuration files, where one that begins with a digit could be read as a number.
  password: () => `${pick(letters)}${randomBytes(24).toString("base64url")}`,
};

/** A value of a kind, new unless it is derived. */
export function makeValue(kind: string, keys: ServiceKeys = {}): string {
  if (isDerived(kind)) return keys[variableOfKey(kind.slice(derived.length) as KeyName)] ?? "";
  if (kind.startsWith("word:")) return kind.slice("word:".length);
  const make = makers[kind];
  if (make === undefined) throw new Error(`${kind} is no kind of secret`);
  return make();
}
