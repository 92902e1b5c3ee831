import { expect, test } from "vitest";
import { expectFirstStart } from "./support/first-start.ts";

// npm 10.8.2 comes with Node 20, and deletes node_modules/.bin/node. 20.10 is the oldest Node that README.md names.
test("a clean clone starts and runs a test with an older npm and Node", { timeout: 900_000 }, async () => {
  await expect(expectFirstStart({ node: "20.10.0", npm: "10.8.2" })).resolves.toBeUndefined();
});
