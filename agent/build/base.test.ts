import { expect, test } from "vitest";
import { npmReason } from "./base.ts";

test("the reason is extracted from npm's error output", () => {
  const refused =
    "Command failed: npm pack x\nnpm error code ECONNREFUSED\nnpm error FetchError: request to http://127.0.0.1:9/x failed, reason: connect ECONNREFUSED 127.0.0.1:9\nnpm error     at ClientRequest\n";
  expect(npmReason(refused)).toBe(
    "FetchError: request to http://127.0.0.1:9/x failed, reason: connect ECONNREFUSED 127.0.0.1:9",
  );
  const missing = "npm error code E404\nnpm error 404 Not Found - GET http://127.0.0.1:9/x - no_such_package\n";
  expect(npmReason(missing)).toBe("404 Not Found - GET http://127.0.0.1:9/x - no_such_package");
  expect(npmReason("npm error code EWHAT\nnpm error errno EWHAT\n")).toBe("code EWHAT, errno EWHAT");
});
