import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Api } from "@sonde/testing/api";

const maxMonitors = 200;

export async function deleteMonitors(api: Api): Promise<void> {
  for (;;) {
    const { monitors } = await api.get<{ monitors: Monitor[] }>(`/api/monitors?pageSize=${maxMonitors}`);
    if (monitors.length === 0) return;
    await api.send("POST", "/api/monitors/bulk", { action: "delete", ids: monitors.map(({ id }) => id) });
  }
}
