import com.nimbusds.jose.util.JSONObjectUtils;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;

public class Verify {
    public static void main(String[] args) throws Exception {
        JwtDecoder decoder = new Assertions().jwtDecoder();
        for (String token : JSONObjectUtils.getStringArray(JSONObjectUtils.parse(Files.readString(Path.of(args[0]))), "tokens")) {
            String verdict = "accept";
            try {
                decoder.decode(token);
            } catch (JwtException refused) {
                verdict = "refuse";
            }
            System.out.println(verdict);
        }
    }
}
