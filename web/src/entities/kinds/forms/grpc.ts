import { server, tls } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"grpc">({
  name: { en: "gRPC", zh: "gRPC" },
  purpose: { en: "A gRPC server reports that it serves", zh: "检查 gRPC 服务器是否报告正常服务" },
  group: "web",
  fields: {
    ...server("orders.example.com", "50051"),
    service: {
      label: { en: "Service", zh: "服务" },
      hint: {
        en: "Asked of grpc.health.v1, such as shop.v1.Orders. Leave empty for the server as a whole.",
        zh: "通过 grpc.health.v1 查询，例如 shop.v1.Orders。留空则查询整个服务器。",
      },
      input: "code",
      none: { en: "The server as a whole", zh: "整个服务器" },
    },
    ...tls,
  },
});
