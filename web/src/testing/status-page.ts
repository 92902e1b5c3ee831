import { defaultStatusConfig, type StatusConfig } from "@sonde/proto/http/status/config";
import { screen, within } from "@testing-library/react";
import { admin, agent, monitor } from "./fixtures.ts";
import { renderScreen } from "./render-app.tsx";
import { ok, on } from "./server.ts";

/** Three services and an agent. Two of the services are in a group. */
export const statusConfig: StatusConfig = {
  ...defaultStatusConfig,
  title: "Shop status",
  description: "All that we run",
  monitors: [7, 8, 9],
  agents: [3],
  groups: [{ name: "Website", monitors: [7, 8], agents: [] }],
  names: [{ type: "monitor", id: 8, name: "Payments" }],
  embedOrigins: ["https://shop.example"],
};

const names: Record<number, string> = { 7: "Shop API", 8: "pay-eu-1", 9: "Search" };

/** Serves monitors with these ids and one agent, in lists and individually. */
export function serveTargets(ids: readonly number[] = [7, 8, 9]): void {
  const monitors = ids.map((id) => ({ ...monitor, id, name: names[id] ?? `Service ${id}` }));
  on("get", "/monitors", ({ request }) => {
    const { searchParams } = new URL(request.url);
    const [page, pageSize] = [Number(searchParams.get("page")), Number(searchParams.get("pageSize"))];
    const search = searchParams.get("search") ?? "";
    const found = monitors.filter(({ name }) => name.includes(search));
    return ok({ monitors: found.slice((page - 1) * pageSize, page * pageSize) as never, total: found.length });
  });
  on("get", "/agents", () => ok({ agents: [agent] as never, total: 1 }));
}

/** Serves and stores a configuration. Returns the requests that change it. */
export function serveStatusConfig(given: Partial<StatusConfig> = {}, publicUrl = "https://up.example/status") {
  let config: StatusConfig = { ...statusConfig, ...given };
  const sent: Partial<StatusConfig>[] = [];
  const previewed: Partial<StatusConfig>[] = [];
  on("get", "/status/config", () => ok({ config, publicUrl } as never));
  on("put", "/status/config", async ({ request }) => {
    const input = (await request.json()) as Partial<StatusConfig>;
    sent.push(input);
    config = { ...config, ...input };
    return ok({ config, publicUrl } as never);
  });
  on("post", "/status/config/preview", async ({ request }) => {
    const input = (await request.json()) as Partial<StatusConfig>;
    previewed.push(input);
    return ok({ html: `<!doctype html><title>${input.title}</title><h1>${input.title}</h1>` });
  });
  return { sent, previewed };
}

/** Opens the configuration form with its services loaded. */
export async function openPageForm(as = admin) {
  const app = await renderScreen("/status/config", { as });
  const form = within(await screen.findByRole("form", { name: "Status page configuration" }));
  await form.findByText("Shop API");
  const save = async () => app.user.click(await form.findByRole("button", { name: "Save" }));
  return { ...app, form, save };
}
export type PageFormQueries = Awaited<ReturnType<typeof openPageForm>>["form"];

export const services = (form: PageFormQueries) => form.getByRole("list", { name: "API services" });
export const title = (form: PageFormQueries) => form.getByRole<HTMLInputElement>("textbox", { name: "Title" });

/** Texts of the form's lines: headings of groups and names. */
export const lines = (form: PageFormQueries) =>
  [...services(form).querySelectorAll("[data-line]")].map(
    (line) => line.querySelector(".font-medium")?.textContent ?? line.textContent,
  );
