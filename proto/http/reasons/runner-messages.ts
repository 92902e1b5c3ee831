/** Why a check could not be carried out, as `proto/http/messages.ts` has it. */
export const runnerMessages = {
  "Too many checks by hand are running, please try again in a few seconds": "手动检查过多，请几秒后重试",
  "At most {max} checks at once, please wait for the others to end": "最多同时进行 {max} 个检查，请等待其他检查结束",
  "The probe runner itself is in trouble, so this says nothing about the target":
    "探测节点自身出现故障，无法判断目标的状态",
  "The probe runner at {location} cannot resolve names, so this says nothing about the target":
    "位置 {location} 的探测节点无法解析域名，无法判断目标的状态",
  "The probe runner at {location} cannot reach its network, so this says nothing about the target":
    "位置 {location} 的探测节点无法连接网络，无法判断目标的状态",
  "The probe runner at {location} has no ping, or may not use it, so this says nothing about the target":
    "位置 {location} 的探测节点没有 ping 或无权使用，此结果不能说明目标的状态",
  "The registry's RDAP service gave no usable answer, so this says nothing about the domain":
    "注册局的 RDAP 服务没有给出有效应答，无法判断域名的状态",
  "The registry does not say when the domain expires, so this says nothing about the domain":
    "注册局未提供该域名的到期时间，无法判断域名的状态",
  "The probe runner at {location} cannot load IANA's list of RDAP services, so this says nothing about the domain":
    "位置 {location} 的探测节点无法获取 IANA 的 RDAP 服务列表，无法判断域名的状态",
  "No probe runner is available at location {location}": "位置 {location} 没有可用的探测节点",
} as const;
