import { start as startAuth } from "@sonde/auth";
import { readConfig as readAuthConfig } from "@sonde/auth/config";
import { start as startGateway } from "@sonde/gateway";
import { readConfig as readGatewayConfig } from "@sonde/gateway/config";
import { runMain } from "@sonde/kit/service/lifecycle";

// Auth and the gateway share a process under `npm start`, so password hashing could delay requests.
await runMain("core", async () => {
  const auth = await startAuth({ ...readAuthConfig(), OPS_PORT: 0 });
  const gateway = await startGateway(readGatewayConfig());
  return {
    stop: async () => {
      await gateway.stop();
      await auth.stop();
    },
  };
});
