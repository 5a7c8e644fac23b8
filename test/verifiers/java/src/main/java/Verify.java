import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

public class Verify {
    public static void main(String[] args) throws Exception {
        Map<String, Object> cases = JSONObjectUtils.parse(Files.readString(Path.of(args[0])));
        JWKSet keys = JWKSet.parse((Map<String, Object>) cases.get("jwks"));
        DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
        processor.setJWSKeySelector(
            new JWSVerificationKeySelector<>(JWSAlgorithm.ES256, new ImmutableJWKSet<>(keys)));
        JWTClaimsSet exact = new JWTClaimsSet.Builder().issuer((String) cases.get("issuer")).build();
        processor.setJWTClaimsSetVerifier(
            new DefaultJWTClaimsVerifier<>((String) cases.get("audience"), exact, Set.of("sub", "exp")));
        for (Object token : (List<Object>) cases.get("tokens")) {
            String verdict = "accept";
            try {
                processor.process((String) token, null);
            } catch (Exception refused) {
                verdict = "refuse";
            }
            System.out.println(verdict);
        }
    }
}
