/** Why a check could not run, part of `proto/http/messages.ts`. */
export const runnerMessages = {
  "Too many manual checks are running, please try again in a few seconds": "正在进行的手动检查过多，请几秒后重试",
  "At most {max} checks can run at once. Please wait for one to finish":
    "最多同时进行 {max} 次检查，请等待其他检查完成",
  "The probe runner is not working properly, so the target could not be checked":
    "探测节点自身异常，无法判断目标的状态",
  "The probe runner at {location} cannot resolve names, so the target could not be checked":
    "位置 {location} 的探测节点无法解析域名，无法判断目标的状态",
  "The probe runner at {location} has no network connection, so the target could not be checked":
    "位置 {location} 的探测节点无法连接网络，无法判断目标的状态",
  "The probe runner at {location} has no ping command or is not allowed to use it, so the target could not be checked":
    "位置 {location} 的探测节点没有 ping 或无权使用，无法判断目标的状态",
  "The registry's RDAP service returned no usable response, so the domain could not be checked":
    "注册局的 RDAP 服务没有返回有效响应，无法判断域名的状态",
  "The registry does not publish when the domain expires, so the domain could not be checked":
    "注册局未提供该域名的到期时间，无法判断域名的状态",
  "The probe runner at {location} cannot load IANA's list of RDAP services, so the domain could not be checked":
    "位置 {location} 的探测节点无法获取 IANA 的 RDAP 服务列表，无法判断域名的状态",
  "Use 1 to 63 letters, digits, - and _": "请使用 1 到 63 个字母、数字、- 或 _",
  "The location does not exist": "该位置不存在",
  "The location has no unused token": "该位置没有未使用的令牌",
  "The tokens are revoked": "令牌已吊销",
  "The probe runner does not exist, or was already revoked": "该探测节点不存在或已被吊销",
  "The probe runner was revoked, or its key is not valid": "该探测节点已被吊销，或其密钥无效",
  "There can be at most {max} remote probe runners": "远程探测节点最多 {max} 个",
  "This probe runner does not fit this version of Sonde: install the runner of Sonde {version}":
    "探测节点的版本与 Sonde 不兼容，请安装 Sonde {version} 的探测节点",
  "Remote probe runners need nats-server 2.10 or newer": "远程探测节点需要 nats-server 2.10 或更高版本",
  "Remote probe runners need a NATS server that requires passwords": "远程探测节点要求 NATS 启用用户认证",
  "Remote probe runners need the key SONDE_KEY_CALLOUT": "远程探测节点需要密钥 SONDE_KEY_CALLOUT",
  "The probe runner is revoked. Its connection ends within a second": "探测节点已吊销，其连接将在一秒内断开",
  "No probe runner is available at location {location}": "位置 {location} 没有可用的探测节点",
} as const;
