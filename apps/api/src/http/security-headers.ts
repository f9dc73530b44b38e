import helmet from 'helmet';

/**
 * Pages use their own style sheet and images and nothing else. HSTS is left to whoever terminates TLS in front of
 * this server, which speaks plain HTTP.
 */
export const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'style-src': ["'self'"],
      'img-src': ["'self'"],
      'form-action': ["'self'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  },
  strictTransportSecurity: false,
});
