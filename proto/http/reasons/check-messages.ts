/** Errors of checks, part of `proto/http/messages.ts`. */
export const checkMessages = {
  "URL is required": "请输入 URL",
  "Please enter a full http or https address": "请输入完整的 http 或 https 地址",
  "Please enter a full ws or wss address": "请输入完整的 ws 或 wss 地址",
  "A WebSocket address cannot contain a # fragment": "WebSocket 地址不能包含 # 之后的部分",
  "Please enter the address of a proxy, such as http://proxy.example.com:3128 or socks5://10.0.0.1:1080":
    "请输入代理地址，例如 http://proxy.example.com:3128 或 socks5://10.0.0.1:1080",
  "A password requires a username": "填写密码时须填写用户名",
  "A username requires a password": "填写用户名时须填写密码",
  "The query must only read data": "查询只能读取数据",
  "The username cannot contain a colon": "用户名不能包含冒号",
  "This contains a private key: enter it in the private key field": "此处包含私钥，请填写到私钥字段中",
  "This is not a PEM certificate": "这不是 PEM 格式的证书",
  "This is not a PEM private key": "这不是 PEM 格式的私钥",
  "The private key is encrypted: enter it without a passphrase": "私钥已加密：请输入不带密码的私钥",
  "The private key does not belong to the certificate": "私钥与证书不匹配",
  "The certificate cannot be used: {code}": "该证书无法使用：{code}",
  "Only https addresses can have a server name": "仅 https 地址可设置服务器名称",
  "Only http addresses can use HTTP/2 without TLS": "仅 http 地址可使用不加密的 HTTP/2",
  "This is not a valid cookie name": "Cookie 名称无效",
  "The regular expression needs exactly one group in parentheses, around the value":
    "正则表达式须有且仅有一个捕获组，即要提取的值",
  "This check takes at least {min} seconds, longer than its timeout": "至少需要 {min} 秒，超过了超时时间",
  "Enter a whole number of checks from {min} to {max}": "检查次数须为 {min} 到 {max} 的整数",
  "Enter a whole number of milliseconds from {min} to {max}": "毫秒数须为 {min} 到 {max} 的整数",
  "This must be less than the timeout": "必须小于超时时间",
  "This cannot exceed the number of checks": "不能超过检查次数",
} as const;
