import { expect, test } from "vitest";
import { decodeError, encodeError } from "./error-reply.ts";
import { AppError, toAppError, unavailable } from "./errors.ts";

test("an error crosses the bus with its code, message, fields and retry time", () => {
  const sent = new AppError("too_many", "Too many failed logins, please try again later", { retryAfterSeconds: 30 });
  expect(decodeError(encodeError(sent))).toMatchObject({ code: "too_many", key: sent.key, retryAfterSeconds: 30 });
  expect(decodeError(encodeError(unavailable("auth"))).message).toBe("The auth service is currently unavailable");
});

const readable = { code: "invalid", key: "Check failed", params: {}, details: [] };

test("a valid reply is decoded", () => {
  expect(decodeError(JSON.stringify(readable)).code).toBe("invalid");
});

test("unexpected errors become internal, keep their cause locally and do not send it", () => {
  const error = toAppError(new Error("password=hunter2"));
  expect(error.code).toBe("internal");
  expect(error.cause).toBeInstanceOf(Error);
  expect(encodeError(error)).not.toContain("hunter2");
});

test.each([
  "",
  "null",
  "{}",
  ...[
    { code: "root" },
    { key: "<script>" },
    { params: { limit: ["x"] } },
    { details: [{ path: "name", message: "<script>" }] },
    { retryAfterSeconds: "soon" },
  ].map((fault) => JSON.stringify({ ...readable, ...fault })),
])("the unreadable reply %j is an internal error", (text) => {
  expect(decodeError(text).code).toBe("internal");
});
