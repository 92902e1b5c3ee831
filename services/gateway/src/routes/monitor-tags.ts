import { mostTags, tagsAnswer, tagsQuery } from "@sonde/proto/http/monitor-lists";
import { route } from "../route.ts";

export const monitorTagRoutes = [
  route({
    method: "GET",
    path: "/api/monitors/tags",
    who: "session",
    summary: "The tags that monitors have, those of most monitors first",
    query: tagsQuery,
    answer: tagsAnswer,
    handle: async ({ services, query, ask }) => {
      const { tags, more } = await services.monitors.listTags({ ...query, limit: mostTags }, ask);
      return { tags: tags.map(({ name, monitors }) => ({ name, monitors })), more };
    },
  }),
];
