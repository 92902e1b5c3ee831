import { explainAssertion } from "./assertion-reasons.ts";
import { explainBudget } from "./budget-sentences.ts";
import { fill } from "../fill.ts";
import type { Language } from "../messages.ts";

/**
 * Why a check or agent failed: English texts with placeholders, and their zh-CN translations. Results and incidents
 * store the filled English text, which is translated when shown. When a text changes, keep the old one for stored
 * results.
 */
export const reasons = {
  // `fault` is another of these texts, so these are matched first.
  "Step {number} ({name}): {fault}": "步骤 {number}（{name}）：{fault}",
  "Step {number}: {fault}": "步骤 {number}：{fault}",
  "The response has no value for {name}": "响应中没有值 {name}",
  "The value {name} is larger than {limit} KiB": "值 {name} 超过 {limit} KiB",
  "The value {name} cannot be sent in a header": "值 {name} 不能放入请求头",
  "The value {name} contains a secret of this check": "值 {name} 含有此监控项的机密值",
  "The extracted values in total are larger than {limit} KiB": "所有值合计超过 {limit} KiB",
  "Extracting the values took too long": "读取值耗时过长",
  "The body is not valid JSON": "响应体不是有效的 JSON",
  "The job reported a failure: {output}": "任务报告失败：{output}",
  "The job ended with exit code {code}: {output}": "任务以退出码 {code} 结束：{output}",
  "The job reported a failure": "任务报告失败",
  "The job ended with exit code {code}": "任务以退出码 {code} 结束",
  "The run exceeded {seconds} s": "运行时间超过 {seconds} 秒",
  "The run ended in less than {seconds} s": "运行在 {seconds} 秒之内就已结束",
  "The run reported {value} {fact}, less than {limit}": "任务上报 {fact} 为 {value}，少于 {limit}",
  "The run reported {value} {fact}, more than {limit}": "任务上报 {fact} 为 {value}，多于 {limit}",
  "The run reported {value} {fact}, not within {percent}% of {median}, the median of the last {count}":
    "任务上报 {fact} 为 {value}，与最近 {count} 次的中位数 {median} 相差超过 {percent}%",
  "No start ping arrived in time": "未按时上报开始",
  "No success ping arrived in time": "未按时上报成功",
  "{max} alerts are open; further ones have no incident of their own":
    "已有 {max} 条告警未解除，其余告警不再单独生成事件",
  "{up} of {counted} members are up, {needed} needed; down: {names}":
    "{counted} 个成员中有 {up} 个正常，需要 {needed} 个；故障成员：{names}",
  "Expected status {expected}, got {got}": "期望状态码 {expected}，实际为 {got}",
  "Expected the response to contain {expected}, got {got}": "期望响应包含 {expected}，实际为 {got}",
  "{path} is not a path such as $.data.ok": "{path} 不是有效的路径，正确示例：$.data.ok",
  "The pattern is not valid: {fault}": "正则表达式无效：{fault}",
  "Timed out while resolving the name": "域名解析超时",
  "Timed out while connecting": "连接超时",
  "Timed out while waiting for the TLS handshake": "TLS 握手超时",
  "Timed out while waiting for the response": "等待响应超时",
  "Timed out while reading the body": "读取响应体超时",
  "{slow} of {checks} checks took longer than {limit} ms, most recently {ms} ms":
    "最近 {checks} 次检查中有 {slow} 次超过 {limit} 毫秒，最近一次为 {ms} 毫秒",
  "This is a fire drill: nothing is down": "这是一次演练，没有任何故障",
  "The connection was refused": "连接被拒绝",
  "The connection was reset": "连接被重置",
  "The connection timed out": "连接超时",
  "The connection was closed without a response": "连接已关闭，未收到响应",
  "The connection closed before the whole body arrived": "传输响应体时连接被关闭",
  "The host is unreachable": "主机不可达",
  "The network is unreachable": "网络不可达",
  "The host is down": "主机已停机",
  "The response headers are too large": "响应头过大",
  "The response is not valid HTTP ({code})": "响应不是有效的 HTTP（{code}）",
  "The certificate has expired": "证书已过期",
  "The certificate is not valid yet": "证书尚未生效",
  "The certificate is self-signed": "证书为自签名证书",
  "The certificate chain holds a self-signed certificate": "证书链中包含自签名证书",
  "The certificate's issuer is not known": "证书的颁发者未知",
  "The certificate does not cover this host name, only {names}": "证书与该主机名不匹配，仅适用于 {names}",
  "The certificate does not cover this host name": "证书与该主机名不匹配",
  "The certificate has no subjectAltName": "证书缺少 subjectAltName",
  "The certificate's root is unknown": "证书链的根证书未知",
  "The server sent no intermediate certificate, and the issuer {issuer} is unknown":
    "服务器未发送中间证书，且颁发者 {issuer} 未知",
  "The certificate is not meant for servers": "该证书不能用于服务器",
  "A certificate in the chain is not allowed to sign others": "证书链中有证书无权签发其他证书",
  "The certificate chain is too long": "证书链过长",
  "A signature in the certificate chain is wrong": "证书链中的签名无效",
  "A signature in the certificate chain uses a weak hash": "证书链中的签名使用了弱哈希算法",
  "The certificate's key is too weak": "证书的密钥强度不足",
  "The key of an issuing certificate is too weak": "颁发者证书的密钥强度不足",
  "The certificate is not trusted": "证书不受信任",
  "The connection was closed during the TLS handshake": "TLS 握手期间连接被关闭",
  "The connection failed ({code})": "连接失败（{code}）",
  "The connection failed": "连接失败",
  "The server does not speak TLS on this port": "该端口不使用 TLS",
  "The server does not support TLS 1.2 or newer": "服务器不支持 TLS 1.2 或更高版本",
  "The server's TLS lacks secure renegotiation": "服务器的 TLS 不支持安全重协商",
  "The server's Diffie-Hellman key is too weak": "服务器的 Diffie-Hellman 密钥强度不足",
  "The server's TLS is not valid": "服务器的 TLS 数据无效",
  "The server accepts none of the TLS ciphers offered, or does not know this host name":
    "服务器不接受所提供的任何 TLS 加密套件，或不识别该主机名",
  "The server failed during the TLS handshake; it may not know this host name":
    "服务器在 TLS 握手时出错，可能不识别该主机名",
  "The server has no certificate for this host name (SNI)": "服务器没有该主机名（SNI）的证书",
  "The server requires a client certificate": "服务器要求客户端证书",
  "The server speaks neither HTTP/1.1 nor HTTP/2 (ALPN)": "服务器既不支持 HTTP/1.1 也不支持 HTTP/2（ALPN）",
  "The server ended TLS with alert {alert}": "服务器以警报 {alert} 终止了 TLS",
  "The request contains a character that HTTP does not allow": "请求中包含 HTTP 不允许的字符",
  "The certificate is not trusted ({code})": "证书不受信任（{code}）",
  "The server sent no certificate": "服务器未提供证书",
  "The server does not offer TLS": "服务器不提供 TLS",
  "The server rejected STARTTLS: {answer}": "STARTTLS 被拒绝，服务器返回 {answer}",
  "The server does not speak {protocol}; it replied {answer}": "服务器不支持 {protocol}，返回 {answer}",
  "Certificate expires in {days} days (minimum {min})": "证书将在 {days} 天后到期（至少应剩 {min} 天）",
  "Certificate expires in {days} day (minimum {min})": "证书将在 {days} 天后到期（至少应剩 {min} 天）",
  "Certificate {name} in the chain expires in {days} days (minimum {min})":
    "证书链中的证书 {name} 将在 {days} 天后到期（至少应剩 {min} 天）",
  "Certificate {name} in the chain expires in {days} day (minimum {min})":
    "证书链中的证书 {name} 将在 {days} 天后到期（至少应剩 {min} 天）",
  "More than {limit} interim responses (1xx)": "临时响应（1xx）超过 {limit} 个",
  "The server does not support HTTP/2 without TLS (h2c)": "服务器不支持不加密的 HTTP/2（h2c）",
  "Unknown content encoding {encoding}": "未知的内容编码 {encoding}",
  "The body is not valid {encoding}": "响应体不是有效的 {encoding} 数据",
  "The body is larger than {limit} MiB": "响应体超过 {limit} MiB",
  "More than {limit} redirects": "重定向超过 {limit} 次",
  "The redirect's Location is not an address": "重定向的 Location 不是有效地址",
  "Redirects to {scheme} are not followed": "不跟随指向 {scheme} 的重定向",
  "{name} does not exist (NXDOMAIN)": "{name} 不存在（NXDOMAIN）",
  "There is no {type} record for {name}": "{name} 没有 {type} 记录",
  "The name server failed to resolve {name} (SERVFAIL)": "域名服务器解析 {name} 失败（SERVFAIL）",
  "The name server refused the query for {name} (REFUSED)": "域名服务器拒绝解析 {name}（REFUSED）",
  "The name server is not responsible for this name; it refers to the servers of {zone}":
    "该域名服务器没有此域名的记录，而是转介到 {zone} 的域名服务器",
  "The name server did not answer": "域名服务器没有响应",
  "The name server cannot be reached": "无法连接域名服务器",
  "{value} is not among the answers; found {found}": "响应中没有 {value}，实际为 {found}",
  "{name} has no address": "{name} 没有可用的地址",
  "{name} has no IPv4 address": "{name} 没有 IPv4 地址",
  "{name} has no IPv6 address": "{name} 没有 IPv6 地址",
  "{name} could not be resolved ({code})": "无法解析 {name}（{code}）",
  "{fault} ({inner} within IPv6)": "{fault}（IPv6 中的 {inner}）",
  "{address} is a link-local address": "{address} 是链路本地地址，不允许访问",
  "{address} is a cloud metadata address": "{address} 是云元数据地址，不允许访问",
  "{address} is a multicast address": "{address} 是组播地址，不允许访问",
  "{address} is a broadcast address": "{address} 是广播地址，不允许访问",
  "{address} is an unspecified address": "{address} 是未指定地址，不允许访问",
  "{address} is denied by PROBE_DENY_CIDRS": "{address} 被 PROBE_DENY_CIDRS 禁止访问",
  "The login was refused: {answer}": "登录被拒绝：{answer}",
  "The server requires a password": "服务器要求密码",
  "The server requires {method} login, which checks do not support":
    "服务器要求以 {method} 方式登录，Sonde 的检查不支持该方式",
  "The server does not allow this login without TLS": "服务器要求使用 TLS 才能以此方式登录",
  "The server does not support HTTP/2, which gRPC requires": "服务器不支持 gRPC 所需的 HTTP/2",
  "The server's response is not valid": "服务器的响应无效",
  "The server returned an error: {answer}": "服务器返回错误：{answer}",
  "The response is larger than {limit} KB": "响应超过 {limit} KB",
  "The server's WebSocket is not valid ({code})": "服务器的 WebSocket 数据无效（{code}）",
  "The server closed the WebSocket ({code})": "服务器关闭了 WebSocket（{code}）",
  "There is no database named {name}": "不存在名为 {name} 的数据库",
  "The query must only read data": "查询只能读取数据",
  "The query took longer than the timeout": "查询用时超过了超时时间",
  "The query returned no rows": "查询没有返回任何行",
  "The server does not know the service {service}": "服务器上没有服务 {service}",
  "The server has no health service (grpc.health.v1)": "服务器没有健康检查服务（grpc.health.v1）",
  "The server returned gRPC status {code}: {answer}": "服务器返回 gRPC 状态 {code}：{answer}",
  "The service reports {status}": "服务报告状态 {status}",
  // `fault` is another of these texts.
  "The proxy cannot be used: {fault}": "无法使用代理：{fault}",
  "The proxy did not connect: {fault}": "代理未能建立连接：{fault}",
  "The proxy requires a login": "代理要求登录",
  "The proxy refused the login": "代理拒绝了登录",
  "The proxy does not allow this connection": "代理不允许此连接",
  "The proxy returned status {status}": "代理返回状态码 {status}",
  "The proxy returned error {code}": "代理返回错误 {code}",
  "The proxy does not speak SOCKS 5": "代理不支持 SOCKS 5",
  "The client certificate cannot be used": "无法使用客户端证书",
  "The server refused the client certificate": "服务器拒绝了客户端证书",
  "No token could be obtained: {fault}": "无法获取令牌：{fault}",
  "The token request was refused: {error}": "令牌请求被拒绝：{error}",
  "The token request was refused with status {status}": "令牌请求被拒绝，状态码 {status}",
  "The token response contains no usable token": "令牌请求的响应中没有可用的令牌",
  "No ping got a reply": "所有 ping 均无响应",
  "{lost}% of the pings got no reply (maximum {max}%)": "{lost} % 的 ping 无响应（最多 {max} %）",
  "The round trip took {ms} ms on average (maximum {max} ms)": "平均往返时间 {ms} 毫秒（最多 {max} 毫秒）",
  "The time server did not answer": "时间服务器没有响应",
  "The time server refused the request ({code})": "时间服务器拒绝了请求（{code}）",
  "The time server is not synchronized": "时间服务器未同步",
  "The clock is off by {offset} ms (maximum {max} ms)": "时钟偏差 {offset} 毫秒（最多 {max} 毫秒）",
  "{name} is a public suffix, under which domains are registered": "{name} 是公共后缀，不是可注册的域名",
  "There is no RDAP service for .{tld}, so its domains' expiry dates are unknown":
    ".{tld} 没有 RDAP 服务，无法得知其域名的到期时间",
  "The domain is not registered": "该域名未注册",
  "The registry does not say when the domain expires": "注册局未提供该域名的到期时间",
  "The domain has the status {status}": "该域名的状态为 {status}",
  "The domain expired on {date}": "域名已于 {date} 到期",
  "The domain expires on {date}, in {days} days (minimum {min})":
    "域名将于 {date} 到期，还剩 {days} 天（至少应剩 {min} 天）",
  "The domain expires on {date}, in {days} day (minimum {min})":
    "域名将于 {date} 到期，还剩 {days} 天（至少应剩 {min} 天）",
  "The check failed": "检查失败",
  "The check succeeded but was expected to fail": "检查成功，但预期为失败",
  "Three check results in a row are missing": "连续三次未收到检查结果",
  // Incidents of agents.
  "CPU at {value}, above {limit}": "CPU 使用率 {value}，超过 {limit}",
  "Memory at {value}, above {limit}": "内存使用率 {value}，超过 {limit}",
  "Disk {mountPoint} at {value}, above {limit}": "磁盘 {mountPoint} 使用率 {value}，超过 {limit}",
  "No report for {seconds} s": "已有 {seconds} 秒未收到上报",
  "No results for {seconds} s": "已有 {seconds} 秒没有检查结果",
  "No results for {minutes} min": "已有 {minutes} 分钟没有检查结果",
  "No runner at {location}: its monitors get no results": "位置 {location} 没有探测节点，该位置的监控项没有检查结果",
  "The runner at {location} cannot resolve names: its monitors get no results":
    "位置 {location} 的探测节点无法解析域名，该位置的监控项没有检查结果",
  "The runner at {location} cannot reach its network: its monitors get no results":
    "位置 {location} 的探测节点无法连接网络，该位置的监控项没有检查结果",
  "No results from {location}, although its runner is online": "位置 {location} 的探测节点在线，但没有检查结果",
  // Texts stored by earlier versions.
  "The certificate ends in {days} days, less than {min}": "证书将在 {days} 天后到期，少于 {min} 天",
  "The certificate ends in {days} day, less than {min}": "证书将在 {days} 天后到期，少于 {min} 天",
  "No result came for {seconds} s": "已有 {seconds} 秒没有检查结果",
  "No result came for {minutes} min": "已有 {minutes} 分钟没有检查结果",
  "No sample came for {seconds} s": "已有 {seconds} 秒未收到上报",
  "The answer has no value {name}": "应答中没有值 {name}",
  "The value {name} holds a secret of the check": "值 {name} 含有此检查的机密值",
  "The values together are larger than {limit} KiB": "所有值合计超过 {limit} KiB",
  "The values take too long to read": "读取值耗时过长",
  "The run takes longer than {seconds} s": "运行时间超过 {seconds} 秒",
  "The run ended sooner than {seconds} s": "运行在 {seconds} 秒之内就已结束",
  "No start came in time": "未按时收到开始信号",
  "No success came in time": "未按时收到成功信号",
  "Expected the answer to contain {expected}, got {got}": "期望应答包含 {expected}，实际为 {got}",
  "The connection was closed in the midst of the body": "响应体传输中途连接被关闭",
  "The response's headers are too large": "响应头过大",
  "The certificate's root is not known": "证书链的根证书未知",
  "The server sent no intermediate certificate, and the issuer {issuer} is not known":
    "服务器未发送中间证书，且签发者 {issuer} 未知",
  "A certificate of the chain may not sign others": "证书链中有证书无权签发其他证书",
  "The key of a certificate that signs is too weak": "签发者证书的密钥强度不足",
  "The request holds a character that HTTP does not allow": "请求中包含 HTTP 不允许的字符",
  "STARTTLS was refused, the server said {answer}": "STARTTLS 被拒绝，服务器应答 {answer}",
  "The server does not speak {protocol}, it said {answer}": "服务器不支持 {protocol}，应答 {answer}",
  "The content encoding {encoding} is not known": "未知的内容编码 {encoding}",
  "A redirect to {scheme} is not followed": "不会跟随到 {scheme} 的重定向",
  "There is no {type} record of {name}": "{name} 没有 {type} 记录",
  "The name server refused to answer about {name} (REFUSED)": "域名服务器拒绝解析 {name}（REFUSED）",
  "The name server does not have this name, it refers to the servers of {zone}":
    "该域名服务器没有此域名的记录，而是转介到 {zone} 的域名服务器",
  "{value} is not among the answers, found {found}": "应答中没有 {value}，实际为 {found}",
  "The server requires a login by {method}, which checks do not support":
    "服务器要求以 {method} 方式登录，Sonde 的检查不支持该方式",
  "The server's answer is not valid": "服务器的应答无效",
  "The server answered with an error: {answer}": "服务器应答错误：{answer}",
  "The answer is larger than {limit} KB": "应答超过 {limit} KB",
  "The query may only read": "查询只能读取数据",
  "The query found no row": "查询没有返回任何行",
  "The server answered with gRPC status {code}: {answer}": "服务器应答 gRPC 状态 {code}：{answer}",
  "The proxy answered with status {status}": "代理返回状态码 {status}",
  "The proxy answered with error {code}": "代理返回错误 {code}",
  "There is no token: {fault}": "无法获取令牌：{fault}",
  "The answer to the token request holds no token that can be sent": "令牌请求的应答中没有可用的令牌",
  "No ping had a reply": "所有 ping 均无应答",
  "{lost} % of the pings had no reply (at most {max} %)": "{lost} % 的 ping 无应答（最多 {max} %）",
  "The round trip took {ms} ms on average (at most {max} ms)": "平均往返时间 {ms} 毫秒（最多 {max} 毫秒）",
  "The time server is not synchronised": "时间服务器未同步",
  "The clock is off by {offset} ms (at most {max} ms)": "时钟偏差 {offset} 毫秒（最多 {max} 毫秒）",
  "There is no RDAP service for .{tld}, so the end of its domains is not known":
    ".{tld} 没有 RDAP 服务，无法得知其域名的到期时间",
  "The check succeeded, though it must fail": "检查成功，但预期应当失败",
  "No check result came for three slots": "连续三次未收到检查结果",
} as const;
export type Reason = keyof typeof reasons;

// Probes limit reasons to less; the patterns are only fast on short texts.
const maxReasonLength = 2000;

/**
 * Returns a function that translates stored texts with filled placeholders.
 * @param sentences English with placeholders → zh-CN; the first match wins
 * @param inner translates the value of `{fault}`
 */
export function translator(
  sentences: Readonly<Record<string, string>>,
  inner?: (fault: string, language: Language) => string,
): (text: string, language: Language) => string {
  const patterns = Object.entries(sentences).map(([english, chinese]) => ({ pattern: patternOf(english), chinese }));
  return (text, language) => {
    if (language !== "zh-CN" || text.length > maxReasonLength) return text;
    for (const { pattern, chinese } of patterns) {
      const found = pattern.exec(text);
      if (found === null) continue;
      const fault = found.groups?.["fault"];
      return fill(chinese, { ...found.groups, ...(fault !== undefined && inner && { fault: inner(fault, language) }) });
    }
    return text;
  };
}

const translate = translator(reasons, explain);

/** Sentences that contain a reason. */
export const around = {
  /** For a failure that no other location could check in time. */
  unconfirmed: { english: "{reason}, not confirmed", chinese: "{reason}，未经复核" },
  /** For a failure that other locations did not confirm. */
  alone: { english: "Down from {location} only: {reason}", chinese: "仅从 {location} 检查失败：{reason}" },
} as const;
const frames = Object.values(around).map((words) => ({ ...words, pattern: patternOf(words.english) }));

/** Translates a probe's reason; an unknown one is returned unchanged. */
export function explain(text: string, language: Language): string {
  if (language !== "zh-CN" || text.length > maxReasonLength) return explainPlain(text, language);
  for (const { pattern, chinese } of frames) {
    const { reason, ...rest } = pattern.exec(text)?.groups ?? {};
    if (reason !== undefined) return fill(chinese, { ...rest, reason: explain(reason, language) });
  }
  return explainPlain(text, language);
}

function explainPlain(text: string, language: Language): string {
  if (text.length > maxReasonLength) return text;
  return explainAssertion(text, language) ?? explainBudget(text, language) ?? translate(text, language);
}

function patternOf(english: string): RegExp {
  const escaped = english.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>.+?)")}$`, "s");
}

/** Prefixes of job output, in both languages. */
const beforeOutput = Object.entries(reasons)
  .flat()
  .flatMap((text) => /^(.+)(?:: |：)\{output\}$/.exec(text)?.[1]?.replace("{code}", String.raw`-?\d+`) ?? []);
const withOutput = new RegExp(`(${beforeOutput.join("|")})(?:: |：).*`, "s");

/** Removes job output from a reason, or from a sentence that ends with one. */
export const withoutOutput = (text: string): string => text.replace(withOutput, "$1");
