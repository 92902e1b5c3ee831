import { Prefix } from "@nats-io/nkeys";
import { Codec } from "@nats-io/nkeys/lib/codec.js";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { accountKey } from "./callout.ts";

test("an account's key is encoded as by NATS's own library", () => {
  const keys = [Buffer.alloc(32), Buffer.alloc(32, 255), ...Array.from({ length: 200 }, () => randomBytes(32))];
  for (const key of keys) {
    expect(accountKey(key)).toBe(Buffer.from(Codec.encode(Prefix.Account, key)).toString());
  }
});
