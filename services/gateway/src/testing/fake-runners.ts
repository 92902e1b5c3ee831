import type { Handlers } from "@sonde/kit/bus/rpc";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";

type RunnerMethod = "createRunnerToken" | "registerRunner" | "startRunner" | "revokeRunner" | "revokeRunnerTokens";

const settings = { runnerId: 3, location: "eu1", keys: Buffer.alloc(32).toString("base64"), version: "1.0.0" };

export const runnerHandlers: Pick<Handlers<typeof monitorsContract>, RunnerMethod> = {
  createRunnerToken: async () => ({ token: "one-time-token", expiresAt: "2026-03-02T10:00:00.000Z" }),
  registerRunner: async () => ({ ...settings, key: "key-of-the-runner" }),
  startRunner: async () => settings,
  revokeRunner: async () => ({}),
  revokeRunnerTokens: async () => ({}),
};
