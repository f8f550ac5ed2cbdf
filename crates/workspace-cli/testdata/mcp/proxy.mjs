// Adds the token; maps its own port in Host and Origin to the server's, and leaves other names as they are.
import http from 'node:http';
const [,, port, target, token] = process.argv;
http.createServer((req, res) => {
  const h = {...req.headers, authorization: `Bearer ${token}`};
  for (const k of ['host','origin']) if (h[k]) h[k] = h[k].replace(`:${port}`, `:${target}`);
  const up = http.request({host:'127.0.0.1', port: target, method:req.method, path:req.url, headers:h}, r => { res.writeHead(r.statusCode, r.headers); r.pipe(res); });
  up.on('error', e => { try { res.writeHead(502); res.end(String(e)); } catch {} });
  res.on('close', () => up.destroy());
  req.pipe(up);
}).listen(+port, '127.0.0.1');
