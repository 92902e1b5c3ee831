import { agentInstall, agentPlatforms } from "@sonde/proto/http/agents/install";
import type { AgentDownload } from "@sonde/proto/http/agents/downloads";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { admin } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";

const origin = "http://localhost";
const install = agentInstall({ origin, token: "tok_once", intervalSeconds: 10, downloadUrl: `${origin}/downloads` });
let linux: Omit<AgentDownload, "platform">;
let canBuild: boolean;
let asked: unknown[];

const answer = () =>
  ok({
    source: "here",
    canBuild,
    downloads: agentPlatforms.map((platform) => ({
      platform,
      ...(platform === "linux-x64" ? linux : { status: "absent" as const }),
    })),
  });

beforeEach(() => {
  linux = { status: "absent" };
  canBuild = true;
  asked = [];
  on("get", "/agents", () => ok({ agents: [], total: 0 }));
  on("get", "/agents/downloads", answer);
  on("post", "/agents/downloads", async ({ request }) => {
    asked.push(await request.json());
    linux = { status: "building", step: "fetch", percent: 20 };
    return answer();
  });
  on("post", "/agents/tokens", () =>
    HttpResponse.json(
      {
        success: true,
        token: "tok_once",
        expiresAt: "2099-01-01T00:00:00Z",
        install,
        oneLine: { command: "", scriptSha256: "" },
      },
      { status: 201 },
    ),
  );
});

async function open(language: "en-US" | "zh-CN" = "en-US") {
  const app = await renderScreen("/agents/create", { as: admin, language });
  await app.user.click(await screen.findByRole("button", { name: /^(Create token|生成令牌)$/ }));
  await screen.findByText("tok_once");
  return app;
}
const copyButtons = () => screen.getAllByRole<HTMLButtonElement>("button", { name: "Copy the commands", hidden: true });

describe("the download for the guide's commands", () => {
  it("shows its progress, and the commands can be copied when it is ready", async () => {
    linux = { status: "building", step: "compress", percent: 71 };
    await open();
    expect(await screen.findByText("Preparing the download for Linux (x64)…")).toBeTruthy();
    expect(screen.getByText("Compressing · 71%")).toBeTruthy();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("71");
    expect(copyButtons().map(({ disabled }) => disabled)).toEqual([true, true, true, true, true]);
    linux = { status: "ready" };
    await waitFor(() =>
      expect(copyButtons().map(({ disabled }) => disabled)).toEqual([false, false, false, false, false]),
    );
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  it.each([
    [{ reason: "registry" }, /could not fetch Node.js from the npm registry/],
    [{ reason: "disk" }, /disk is too full/],
    [{ reason: "tool", tool: "xz" }, /xz is missing on the server.*apt-get install xz-utils/],
    [{ reason: "memory" }, /too little free memory/],
    [{ reason: "fault" }, /See the server log/],
  ] as const)("shows why it failed (%o), and retries on request", async (why, words) => {
    linux = { status: "failed", ...why };
    const { user } = await open();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toMatch(words);
    expect(copyButtons()[0]?.disabled).toBe(true);
    await user.click(screen.getByRole("button", { name: "Retry preparing the download for Linux (x64)" }));
    expect(await screen.findByText("Preparing the download for Linux (x64)…")).toBeTruthy();
    expect(asked).toEqual([{ platform: "linux-x64" }]);
  });

  it("is prepared only on request for other processors and systems", async () => {
    linux = { status: "ready" };
    const { user } = await open();
    expect(await screen.findByText("The download for Linux (ARM64) hasn't been prepared yet.")).toBeTruthy();
    expect(copyButtons()[0]?.disabled).toBe(false);
    await user.click(screen.getByRole("tab", { name: "Windows" }));
    const panel = screen.getByRole("tabpanel");
    expect(within(panel).getAllByRole<HTMLButtonElement>("button", { name: "Copy the commands" })[0]?.disabled).toBe(
      true,
    );
    await user.click(within(panel).getByRole("button", { name: "Prepare the download for Windows (x64)" }));
    await waitFor(() => expect(asked).toEqual([{ platform: "win-x64" }]));
  });

  it("must be provided in a folder if the server cannot build, which does not block copying", async () => {
    canBuild = false;
    await open();
    expect((await screen.findByText(/no download for Linux \(x64\)/)).textContent).toContain("AGENT_DOWNLOAD_DIR");
    expect(copyButtons()[0]?.disabled).toBe(false);
    expect(screen.queryByRole("button", { name: /^Prepare/ })).toBeNull();
  });

  it("is not awaited if it is hosted elsewhere or its state is unknown", async () => {
    on("get", "/agents/downloads", () => HttpResponse.error());
    await open();
    await waitFor(() => expect(copyButtons()[0]?.disabled).toBe(false));
  });

  it("is translated to Chinese", async () => {
    linux = { status: "building", step: "fetch", percent: 20 };
    await open("zh-CN");
    expect(await screen.findByText("正在准备 Linux（x64）的安装包…")).toBeTruthy();
    expect(screen.getByText("正在获取 Node.js · 20%")).toBeTruthy();
  });
});
