import { tellParent } from "@sonde/kit/service/parent";

/** Who runs, for start.mjs: were this process killed, it could end nothing itself, and start.mjs does. */
export function tellStarter(): {
  service: (name: string, pid: number) => void;
  server: (name: string, pid: number) => void;
} {
  const services = new Map<string, number>();
  const servers = new Map<string, number>();
  const noteIn = (pids: Map<string, number>) => (name: string, pid: number) => {
    pids.set(name, pid);
    tellParent({ running: { services: [...services.values()], servers: [...servers.values()] } });
  };
  return { service: noteIn(services), server: noteIn(servers) };
}
