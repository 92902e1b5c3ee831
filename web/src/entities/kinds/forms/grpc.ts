import { server, tls } from "../common.ts";
import { kindForm } from "../kind-form.ts";

export const form = kindForm<"grpc">({
  name: { en: "gRPC", zh: "gRPC" },
  purpose: { en: "A gRPC server reports that it is serving", zh: "检查 gRPC 服务器是否报告服务正常" },
  group: "web",
  fields: {
    ...server("orders.example.com", "50051"),
    service: {
      label: { en: "Service", zh: "服务" },
      hint: {
        en: "A service name such as shop.v1.Orders, checked through grpc.health.v1. Leave empty for the whole server.",
        zh: "通过 grpc.health.v1 查询，例如 shop.v1.Orders。留空则查询整个服务器。",
      },
      input: "code",
      none: { en: "The whole server", zh: "整个服务器" },
    },
    ...tls,
  },
});
