import { verdictOf, type PublicAgent, type PublicGroup, type PublicMonitor } from "@sonde/proto/http/status/status";
import { fill } from "@sonde/proto/http/status/text";
import { type Html, html } from "@sonde/kit/http/html";
import { icon } from "./icons.ts";
import type { PageView } from "./input.ts";
import { service } from "./service.ts";

type Shown = { id: string; target: PublicMonitor | PublicAgent };

/** All services, group by group; a reader may fold a group. */
export function groups(view: PageView): Html {
  const { status, say } = view;
  const byId = new Map<string, PublicMonitor | PublicAgent>([
    ...status.monitors.map((monitor) => [`m${monitor.id}`, monitor] as const),
    ...status.agents.map((agent) => [`a${agent.id}`, agent] as const),
  ]);
  const shown = status.groups.map((group) => ({ name: nameOf(group, view), services: servicesOf(group, byId) }));
  const filled = shown.filter(({ services }) => services.length > 0);
  if (filled.length === 0) return html`<p class="empty">${say.nothingShown}</p>`;
  return html`<section class="groups" aria-label="${say.services}">
    ${filled.map(({ name, services }) => group(name, services, view))}
  </section>`;
}

function servicesOf({ targets }: PublicGroup, byId: ReadonlyMap<string, PublicMonitor | PublicAgent>): Shown[] {
  return targets.flatMap(({ type, id }) => {
    const key = `${type === "agent" ? "a" : "m"}${id}`;
    const target = byId.get(key);
    return target === undefined ? [] : [{ id: key, target }];
  });
}

function nameOf({ name, targets }: PublicGroup, { say }: PageView): string {
  if (name !== null) return name;
  return targets.some(({ type }) => type === "agent") ? say.agents : say.monitors;
}

function group(name: string, services: readonly Shown[], view: PageView): Html {
  const count = services.filter(({ target }) => verdictOf(target.status) === "well").length;
  const text = fill(view.say.script.counts.well, { count, total: services.length });
  return html`<details class="group" open>
    <summary>
      <h2>${name}</h2>
      <span class="count">${text}</span>${chevron}
    </summary>
    <ul>
      ${services.map(({ id, target }) => service(id, target, view))}
    </ul>
  </details>`;
}

const chevron = icon("chevron");
