import { locationsAnswer } from "@sonde/proto/http/monitors";
import { route } from "../route.ts";

export const locationRoutes = [
  route({
    method: "GET",
    path: "/api/locations",
    who: "session",
    summary: "Where probe runners are, how many, and how many active monitors name each location",
    answer: locationsAnswer,
    handle: async ({ services, ask }) => {
      const { locations } = await services.monitors.listLocations({}, ask);
      return { locations: locations.map(({ name, runners, monitors }) => ({ name, runners, monitors })) };
    },
  }),
];
