import type { Agent } from "@sonde/proto/http/agents/agents";
import type { ConfigAnswer } from "@sonde/proto/http/config";
import type { PublicStatus } from "@sonde/proto/http/status/status";
import type { User } from "@sonde/proto/http/users";
import { type Api, apiOf } from "@sonde/testing/api";
import { openBrowser } from "@sonde/testing/browser";
import { newcomerStory, watchPageErrors } from "../../support/newcomer.ts";
import { startReporting } from "../../support/reporting-agent.ts";
import { reach } from "../cluster/reach.ts";
import type { ClusterTarget } from "../cluster/target.ts";
import { until } from "../cluster/wait.ts";
import type { Ground, Installed } from "../ground.ts";
import { lossless, type Row } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { fullname } from "../sonde/chart.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { testAccount } from "../sonde/values.ts";

/** The first newcomer becomes administrator with the setup code; the second must be approved. */
const newcomers = [
  { locale: "en-US", username: testAccount.username, headline: "All systems operational" },
  { locale: "zh-CN", username: "lovelace", headline: "所有系统运行正常" },
] as const;

/** The refused login, and Chromium's notice that it ignores a header over plain HTTP. */
const expectedErrors = ["Login failed 401", "The Cross-Origin-Opener-Policy header has been ignored"];

export const story: Scenario = {
  name: "story",
  about: "a newcomer's story in a browser, through the Service",
  async run(ground) {
    const installed = await ground.sonde();
    const target = await ground.target(installed.namespace);
    const rows: Row[] = [];
    for (const newcomer of newcomers) rows.push(await live(ground, installed, target, newcomer));
    const { api } = await ground.admin();
    rows.push(...(await agents(installed, api)));
    await deleteMonitors(api);
    return rows;
  },
};

async function live(
  ground: Ground,
  installed: Installed,
  target: ClusterTarget,
  { locale, username, headline }: (typeof newcomers)[number],
): Promise<Row> {
  const { url, setupCode } = installed;
  const anyone = apiOf(url);
  const { firstAccount: isFirst } = (await anyone.get<ConfigAnswer>("/api/config")).setup;
  const key = ground.next();
  const browser = await openBrowser({ locale });
  try {
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const errors = watchPageErrors(page);
    const registration = isFirst
      ? { username, setupCode }
      : {
          username: `${username}${key}`,
          approve: async () => approve((await ground.admin()).api, `${username}${key}`),
        };
    const id = await newcomerStory(page, {
      url,
      locale,
      ...registration,
      target: {
        url: `${target.namedUrl}/switch/${key}`,
        break: () => target.turn(key, false),
        heal: () => target.turn(key, true),
      },
    });
    const { api } = await ground.admin();
    await api.send("PUT", "/api/status/config", { monitors: [id], names: [{ type: "monitor", id, name: "Shop" }] });
    await until("the public page is operational", async () => {
      const { status } = await anyone.get<{ status: PublicStatus }>("/api/status");
      return status.state === "operational" ? status : undefined;
    });
    // A reader without an account, in a context without the newcomer's storage.
    const stranger = await browser.context.browser()?.newContext({ locale });
    const reader = await (stranger ?? browser.context).newPage();
    await reader.goto(`${url}/status?lang=${locale}`);
    await reader.getByText(headline).first().waitFor();
    await reader.getByRole("heading", { name: "Shop", exact: true }).waitFor();
    const leaks = (await reader.content()).includes(new URL(target.namedUrl).host) ? ["the page shows an address"] : [];
    await stranger?.close();
    await deleteMonitors(api);
    const wrong = errors().filter((error) => !expectedErrors.some((one) => error.startsWith(one)));
    return lossless(
      `the story in ${locale}: register ${isFirst ? "with the setup code" : "and be approved"}, add a monitor, up, down, incident, up; public page`,
      "passes",
      "passed",
      [...wrong, ...leaks],
    );
  } finally {
    await browser.close();
  }
}

async function approve(api: Api, username: string): Promise<void> {
  const { users } = await api.get<{ users: User[] }>("/api/users?pageSize=200");
  const user = users.find((one) => one.username === username);
  if (user === undefined) throw new Error(`${username} did not register`);
  await api.send("PUT", `/api/users/${user.id}`, { username, status: "active" });
}

/** Agents that report through the gateway, and directly to agent-ingest as behind an ingress. */
async function agents({ namespace, url }: Installed, api: Api): Promise<Row[]> {
  const rows: Row[] = [];
  const ingest = await reach(namespace, `${fullname}-agent-ingest`, "http");
  for (const [way, address] of [
    ["the gateway", url],
    ["the Service of agent-ingest", `http://${ingest.host}:${ingest.port}`],
  ] as const) {
    const name = `by ${way}`;
    const reporting = await startReporting(address, api, name);
    try {
      const agent = await until(`the agent ${name} is online`, async () => {
        const { agents: all } = await api.get<{ agents: Agent[] }>("/api/agents?pageSize=200");
        return all.find((one) => one.name === name && one.status === "online");
      });
      await api.send("DELETE", `/api/agents/${agent.id}`);
    } finally {
      reporting.stop();
    }
    rows.push(lossless(`an agent registers and reports through ${way}`, "online", "online", []));
  }
  ingest.close();
  const sums = await fetch(`${url}/downloads/SHA256SUMS`);
  const text = await sums.text();
  rows.push(
    lossless(
      "agents' archives at the gateway's `/downloads`",
      "served",
      `${text.trim().split("\n").length} archives in SHA256SUMS`,
      sums.status === 200 ? [] : [`returned ${sums.status}`],
    ),
  );
  return rows;
}
