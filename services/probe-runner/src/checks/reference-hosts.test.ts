import { startNameServer, type TestZone } from "@sonde/kit/testing/name-server";
import { describe, expect, it } from "vitest";
import { nameServerAnswers } from "./reference-hosts.ts";

async function answersWith(zone: TestZone): Promise<boolean> {
  const server = await startNameServer(zone);
  try {
    return await nameServerAnswers(server.address);
  } finally {
    server.close();
  }
}

describe("a name server", () => {
  it("is reachable if it knows the root and answers about a random name", async () => {
    expect(await answersWith({ ".": {} })).toBe(true);
  });

  it("does not count if it denies everything, as a captive portal does", async () => {
    expect(await answersWith({ ".": { code: 3 } })).toBe(false);
  });

  it("does not count if it only has the root cached", async () => {
    const server = await startNameServer(
      new Proxy<TestZone>({}, { get: (_zone, name) => ({ code: name === "." ? 0 : 2 }) }),
    );
    expect(await nameServerAnswers(server.address)).toBe(false);
    server.close();
  });

  it("does not count if it fails or does not exist", async () => {
    expect(await answersWith({ ".": { code: 2 } })).toBe(false);
    expect(await nameServerAnswers("127.0.0.1:1")).toBe(false);
    expect(await nameServerAnswers("no address")).toBe(false);
  });
});
