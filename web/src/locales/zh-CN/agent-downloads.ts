import type * as en from "../en-US/agent-downloads.ts";
import type { Translated } from "../catalogue.ts";

export const agentDownloads: Translated<typeof en.agentDownloads> = {
  platforms: {
    "linux-x64": "Linux（x64）",
    "linux-arm64": "Linux（ARM64）",
    "darwin-x64": "macOS（Intel）",
    "darwin-arm64": "macOS（Apple 芯片）",
    "win-x64": "Windows（x64）",
  },
  preparing: "正在准备 {{name}}的安装包…",
  waiting: "等待其他构建完成",
  steps: { fetch: "正在获取 Node.js", assemble: "正在构建客户端", compress: "正在压缩" },
  absent: "{{name}}的安装包尚未准备。",
  prepare: "开始准备",
  prepareLabel: "开始准备 {{name}}的安装包",
  retryLabel: "重试：准备 {{name}}的安装包",
  starting: "正在启动…",
  failed: "{{name}}的安装包准备失败。",
  reasons: {
    registry: "服务器无法从 npm 仓库获取 Node.js。请检查服务器的网络后重试。",
    disk: "服务器磁盘空间不足：准备过程中需要约 700 MiB。请清理磁盘后重试。",
    tool: "服务器上缺少 {{tool}}。请先安装（Debian：apt-get install {{package}}），然后重试。",
    memory:
      "服务器可用内存不足：准备过程中需要约 1 GB。请释放内存后重试，或在其他机器上执行“npm run build:agent”构建。",
    fault: "原因见服务器日志。",
  },
  elsewhere:
    "此服务器没有 {{name}}的安装包，也不会自行构建。管理员可执行“npm run build:agent -- {{platform}}”构建，并将其放入 AGENT_DOWNLOAD_DIR 所指的目录，或设置 AGENT_DOWNLOAD_URL。",
};
